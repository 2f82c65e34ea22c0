import { Cron } from "croner";
import { makeTimeZone, type TimeZone } from "./time-zone.js";

/** The occurrences of a schedule. */
export interface Occurrences {
  /** Returns the first occurrence after an instant, in milliseconds. */
  after(instant: number): number;
}

const number = String.raw`\d{1,2}`;
const months = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec";
const weekDays = "sun|mon|tue|wed|thu|fri|sat";

/** The syntax of a field with these names: a list of `*`, a value and a range, the last of which may have a step. */
const field = (names: string): RegExp => {
  const value = names === "" ? number : `(?:${number}|${names})`;
  const item = String.raw`(?:\*(?:/${number})?|${value}(?:-${value}(?:/${number})?)?)`;
  return new RegExp(`^${item}(?:,${item})*$`, "i");
};

const fields = [
  { name: "minute", syntax: field("") },
  { name: "hour", syntax: field("") },
  { name: "day of the month", syntax: field("") },
  { name: "month", syntax: field(months) },
  { name: "day of the week", syntax: field(weekDays) },
] as const;

const day = 86_400_000;

/**
 * Reads a cron expression with five fields.
 *
 * The occurrences follow the local time of the zone. A time that a change of the clocks leaves out occurs once, at the end of the
 * gap, and one that it repeats occurs the first time only. With `*` as the hour the schedule is one of elapsed time: it occurs in
 * both hours, and not in the missing one.
 *
 * @throws {TypeError} that names the invalid part
 */
export function parseSchedule(cron: string, timeZone: string): Occurrences {
  const parts = cron.trim().split(/[ \t]+/);
  const reject = (reason: string): never => {
    throw new TypeError(`The cron expression ${JSON.stringify(cron)} ${reason}`);
  };
  if (parts.length !== fields.length)
    reject(`has ${parts.length} fields. Use five: ${fields.map(({ name }) => name).join(", ")}.`);
  for (const [index, { name, syntax }] of fields.entries())
    if (!syntax.test(parts[index] ?? ""))
      reject(
        `has an invalid ${name}: ${parts[index]}. Use *, values, ranges (1-5), steps (*/15, 0-30/10) and lists (1,15).`,
      );
  const local = readCron(parts.join(" "), reject);
  const next = (localTime: number): number => local.nextRun(new Date(localTime))?.getTime() ?? reject("never occurs.");
  next(0);
  const zone = makeTimeZone(timeZone);
  return { after: (instant) => (parts[1] === "*" ? nextElapsed : nextLocal)(instant, next, zone) };
}

/** Reads the expression for local times: the dates of the library are in UTC. */
function readCron(expression: string, reject: (reason: string) => never): Cron {
  try {
    return new Cron(expression, { timezone: "UTC", mode: "5-part", paused: true });
  } catch (error) {
    return reject(`is invalid: ${(error as Error).message.replace("CronPattern: ", "")}.`);
  }
}

type NextLocalTime = (localTime: number) => number;

/** The instants of local times are in the order of these times, and equal only in a gap. */
function nextLocal(instant: number, next: NextLocalTime, zone: TimeZone): number {
  let localTime = instant + zone.offsetAt(instant);
  for (;;) {
    localTime = next(localTime);
    const occurrence = zone.toInstant(localTime);
    if (occurrence > instant) return occurrence;
  }
}

function nextElapsed(instant: number, next: NextLocalTime, zone: TimeZone): number {
  let start = instant;
  for (let offset = zone.offsetAt(start); ; ) {
    const occurrence = next(start + offset) - offset;
    // Only the hours around a change repeat local times that are already over.
    const near = Math.min(occurrence, start + day);
    if (zone.offsetAt(near) !== offset) {
      const change = zone.changeBetween(start, near);
      offset = zone.offsetAt(change);
      start = change - 1;
    } else if (near === occurrence) return occurrence;
    else {
      start = occurrence - day;
      offset = zone.offsetAt(start);
    }
  }
}
