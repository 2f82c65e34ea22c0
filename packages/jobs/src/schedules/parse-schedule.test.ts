import { describe, expect, it } from "vitest";
import { parseSchedule } from "./parse-schedule.js";

/** The occurrences of a schedule in a time, in the ISO form without seconds. */
function occurrences(cron: string, timeZone: string, from: string, to: string): readonly string[] {
  const { after } = parseSchedule(cron, timeZone);
  const times: string[] = [];
  for (let at = after(Date.parse(`${from}Z`) - 1); at < Date.parse(`${to}Z`); at = after(at))
    times.push(new Date(at).toISOString().replace(":00.000Z", ""));
  return times;
}

describe("the occurrences of a schedule", () => {
  it.each([
    [
      "once at the end of a gap",
      "30 2 * * *",
      "Europe/Berlin",
      "2026-03-28T12:00",
      "2026-03-30T12:00",
      ["2026-03-29T01:00", "2026-03-30T00:30"],
    ],
    [
      "once for several times in a gap",
      "*/15 2 * * *",
      "Europe/Berlin",
      "2026-03-29T00:00",
      "2026-03-30T00:00",
      ["2026-03-29T01:00"],
    ],
    [
      "once if the end of a gap is a time too",
      "0,30 2,3 * * *",
      "Europe/Berlin",
      "2026-03-29T00:00",
      "2026-03-30T00:00",
      ["2026-03-29T01:00", "2026-03-29T01:30"],
    ],
    [
      "at the first of two times",
      "30 2 * * *",
      "Europe/Berlin",
      "2026-10-24T12:00",
      "2026-10-26T12:00",
      ["2026-10-25T00:30", "2026-10-26T01:30"],
    ],
    [
      "at the first of two times of a list",
      "0,30 1-3 * * *",
      "Europe/Berlin",
      "2026-10-24T22:00",
      "2026-10-25T12:00",
      [
        "2026-10-24T23:00",
        "2026-10-24T23:30",
        "2026-10-25T00:00",
        "2026-10-25T00:30",
        "2026-10-25T02:00",
        "2026-10-25T02:30",
      ],
    ],
    [
      "at midnight in a gap",
      "0 0 * * *",
      "Africa/Cairo",
      "2026-04-23T00:00",
      "2026-04-25T00:00",
      ["2026-04-23T22:00", "2026-04-24T21:00"],
    ],
    [
      "at midnight in another gap",
      "0 0 * * *",
      "America/Santiago",
      "2026-09-05T00:00",
      "2026-09-07T00:00",
      ["2026-09-05T04:00", "2026-09-06T04:00"],
    ],
    [
      "after a gap that ends on the next day",
      "59 23 * * *",
      "America/Nuuk",
      "2026-03-28T00:00",
      "2026-03-30T00:00",
      ["2026-03-28T01:59", "2026-03-29T01:00"],
    ],
    [
      "after a gap of half an hour",
      "15 2 * * *",
      "Australia/Lord_Howe",
      "2026-10-03T00:00",
      "2026-10-04T10:00",
      ["2026-10-03T15:30"],
    ],
    [
      "after a missing day",
      "0 12 30 12 *",
      "Pacific/Apia",
      "2011-12-29T00:00",
      "2012-01-02T00:00",
      ["2011-12-30T10:00"],
    ],
    [
      "in both hours with * as the hour",
      "0,30 * * * *",
      "Europe/Berlin",
      "2026-10-25T00:00",
      "2026-10-25T02:30",
      ["2026-10-25T00:00", "2026-10-25T00:30", "2026-10-25T01:00", "2026-10-25T01:30", "2026-10-25T02:00"],
    ],
    [
      "not in the missing hour with * as the hour",
      "30 * * * *",
      "Europe/Berlin",
      "2026-03-29T00:00",
      "2026-03-29T02:00",
      ["2026-03-29T00:30", "2026-03-29T01:30"],
    ],
  ])("C141 are %s", (_, cron, timeZone, from, to, expected) => {
    expect(occurrences(cron, timeZone, from, to)).toEqual(expected);
  });
});

const minute = 60_000;
const step = 15 * minute;
const day = 24 * 60 * minute;

/** The local times of instants, read without the code under test. */
function localTimes(timeZone: string): (instant: number) => number {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
  return (instant) => Date.parse(`${format.format(instant).replace(" ", "T")}Z`);
}

/** The weeks of some years in which the clocks of a zone change. */
function changes(timeZone: string, years: readonly number[]): readonly number[] {
  const toLocal = localTimes(timeZone);
  const weeks: number[] = [];
  for (const year of years)
    for (let at = Date.UTC(year, 0, 1); at < Date.UTC(year + 1, 0, 1); at += 7 * day)
      if (toLocal(at + 7 * day) - toLocal(at) !== 7 * day) weeks.push(at);
  return weeks;
}

describe("the occurrences of schedules in all time zones", () => {
  // Zones whose clocks change at the same instants have the same times.
  const zones = new Map<string, { readonly name: string; readonly weeks: readonly number[] }>();
  for (const name of Intl.supportedValuesOf("timeZone")) {
    const weeks = changes(name, [2026, 2031]);
    zones.set(JSON.stringify(weeks.map((week) => [week, localTimes(name)(week)])), { name, weeks });
  }

  it("C141 are once for each local time: the first one, or the end of a gap", () => {
    const lists = [
      ["30 2 * * *", [2.5]],
      ["0 0 * * *", [0]],
      ["45 23 * * *", [23.75]],
      ["*/15 1,2,3 * * *", Array.from({ length: 12 }, (_, index) => 1 + index / 4)],
      ["0 0-23/2 * * *", Array.from({ length: 12 }, (_, index) => index * 2)],
    ] as const;
    expect(zones.size).toBeGreaterThan(20);
    for (const { name, weeks } of zones.values()) {
      const toLocal = localTimes(name);
      for (const start of weeks) {
        const end = start + 8 * day;
        const first = new Map<number, number>();
        for (let at = start - day; at <= end + day; at += step) {
          const local = toLocal(at);
          if (!first.has(local)) first.set(local, at);
        }
        const ends = [...first].sort(([one], [other]) => one - other);
        for (const [cron, hours] of lists) {
          const expected = new Set<number>();
          for (let date = Math.floor((start - day) / day) * day; date < end + day; date += day)
            for (const hour of hours) {
              const local = date + hour * 60 * minute;
              const instant = first.get(local) ?? ends.find(([other]) => other > local)?.[1];
              if (instant !== undefined && instant >= start && instant < end) expected.add(instant);
            }
          const [from, to] = [start, end].map((at) => new Date(at).toISOString().slice(0, 16)) as [string, string];
          const times = [...expected].map((at) => new Date(at).toISOString().slice(0, 16));
          expect(occurrences(cron, name, from, to), `${cron} in ${name} from ${from}`).toEqual(times);
        }
      }
    }
  });

  it("C141 follow the elapsed time with * as the hour", () => {
    for (const { name, weeks } of zones.values()) {
      const toLocal = localTimes(name);
      for (const start of weeks) {
        const times: string[] = [];
        for (let at = start; at < start + 8 * day; at += step)
          if (toLocal(at) % (60 * minute) === 30 * minute) times.push(new Date(at).toISOString().slice(0, 16));
        const [from, to] = [start, start + 8 * day].map((at) => new Date(at).toISOString().slice(0, 16));
        expect(occurrences("30 * * * *", name, from as string, to as string), `${name} from ${from}`).toEqual(times);
      }
    }
  });

  it("C141 end without another occurrence before a time that a day selects", () => {
    expect(occurrences("30 * 29 10 *", "Africa/Cairo", "2026-10-29T20:00", "2027-10-28T23:00")).toEqual([
      "2026-10-29T20:30",
      "2026-10-29T21:30",
      "2027-10-28T22:30",
    ]);
    expect(occurrences("0 * 29 2 *", "Europe/Berlin", "2026-01-01T00:00", "2028-02-29T00:30")).toEqual([
      "2028-02-28T23:00",
      "2028-02-29T00:00",
    ]);
  });
});

describe("a cron expression", () => {
  it.each([
    [
      "*/20 8-17 * * mon-FRI",
      "2026-01-02T16:50",
      ["2026-01-02T17:00", "2026-01-02T17:20", "2026-01-02T17:40", "2026-01-05T08:00"],
    ],
    [
      "5,10-20/10 4 1 JAN,jul *",
      "2026-01-01T00:00",
      ["2026-01-01T04:05", "2026-01-01T04:10", "2026-01-01T04:20", "2026-07-01T04:05"],
    ],
    [
      "0 12 13 * 5",
      "2026-02-06T00:00",
      ["2026-02-06T12:00", "2026-02-13T12:00", "2026-02-20T12:00", "2026-02-27T12:00"],
    ],
    [
      " 00\t07  * * 7",
      "2026-02-02T00:00",
      ["2026-02-08T07:00", "2026-02-15T07:00", "2026-02-22T07:00", "2026-03-01T07:00"],
    ],
    [
      "0 0 29 2 *",
      "2096-03-01T00:00",
      ["2104-02-29T00:00", "2108-02-29T00:00", "2112-02-29T00:00", "2116-02-29T00:00"],
    ],
  ])("C141 is accepted as %s", (cron, from, expected) => {
    const to = `${expected[3]?.slice(0, 11)}23:59`;
    expect(occurrences(cron, "UTC", from, to).slice(0, 4)).toEqual(expected);
  });

  it.each([
    ["* * * *", "has 4 fields. Use five: minute, hour, day of the month, month, day of the week."],
    ["0 * * * * *", "has 6 fields. Use five: minute,"],
    ["0 0 0 1 1 * 2030", "has 7 fields."],
    ["", "has 1 fields."],
    ["@daily", "has 1 fields."],
    ["0 0 L * *", "has an invalid day of the month: L."],
    ["0 0 15W * *", "has an invalid day of the month: 15W."],
    ["0 0 * * 5#2", "has an invalid day of the week: 5#2."],
    ["0 0 * * 5L", "has an invalid day of the week: 5L."],
    ["0 0 * * +MON", "has an invalid day of the week: +MON."],
    ["0 0 ? * *", "has an invalid day of the month: ?."],
    ["0 0 * * MONDAY", "has an invalid day of the week: MONDAY."],
    ["0 0 * MON *", "has an invalid month: MON."],
    ["0 JAN * * *", "has an invalid hour: JAN."],
    ["5/15 * * * *", "has an invalid minute: 5/15."],
    ["1,,2 * * * *", "has an invalid minute: 1,,2."],
    ["H * * * *", "has an invalid minute: H."],
    ["-5 * * * *", "has an invalid minute: -5."],
    ["60 * * * *", "is invalid: Invalid value for minute: 60."],
    ["0 24 * * *", "is invalid: Invalid value for hour: 24."],
    ["0 0 0 * *", "is invalid: "],
    ["0 0 * 13 *", "is invalid: "],
    ["0 0 * * 8", "is invalid: "],
    ["*/0 * * * *", "is invalid: "],
    ["*/90 * * * *", "is invalid: "],
    ["10-5 * * * *", "is invalid: "],
    ["0 0 31 2 *", "never occurs."],
    ["0 0 30-31 2 *", "never occurs."],
    ["0\n0 * * *", "has 4 fields."],
  ])("C141 is rejected as %j", (cron, message) => {
    expect(() => parseSchedule(cron, "Europe/Berlin")).toThrow(
      `The cron expression ${JSON.stringify(cron)} ${message}`,
    );
  });
});
