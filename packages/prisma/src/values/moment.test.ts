import { describe, expect, it } from "vitest";
import { dateOfText, dateTimeText, dateTimeTextOfSql, isEndless, PreciseDate, sqlOfDateTime } from "./moment.js";

/** Each text of a response, with PostgreSQL's text of it. */
const moments = [
  ["infinity", "infinity"],
  ["-infinity", "-infinity"],
  ["2024-02-29T12:30:00.000Z", "2024-02-29 12:30:00"],
  ["2024-02-29T12:30:00.120Z", "2024-02-29 12:30:00.12"],
  ["2024-02-29T12:30:00.123456Z", "2024-02-29 12:30:00.123456"],
  ["-000043-03-15T10:00:00.500Z", "0044-03-15 10:00:00.5 BC"],
  ["0000-01-01T00:00:00.000Z", "0001-01-01 00:00:00 BC"],
  ["9999-12-31T23:59:59.999Z", "9999-12-31 23:59:59.999"],
  ["+010000-01-01T00:00:00.000Z", "10000-01-01"],
  ["+012025-01-01T00:00:00.000Z", "12025-01-01"],
  ["+294276-12-31T23:59:58.000Z", "294276-12-31 23:59:58"],
] as const;

describe("C92 date-times", () => {
  it.each(moments)("%s is the text of PostgreSQL's %s, and of the date of a row", (text, sql) => {
    expect(dateTimeTextOfSql(sql)).toBe(text);
    expect(dateTimeText(dateOfText(text))).toBe(text);
  });

  it("are the last and the first value of Date if they are infinite", () => {
    expect([dateOfText("infinity").getTime(), dateOfText("-infinity").getTime()]).toEqual([8.64e15, -8.64e15]);
    expect(moments.map(([text]) => isEndless(dateOfText(text)))).toEqual([true, true, ...Array(9).fill(false)]);
  });

  it("have a text of their own only where Date cannot represent the value", () => {
    const precise = moments.map(([text]) => text).filter((text) => dateOfText(text) instanceof PreciseDate);
    expect(precise).toEqual(["2024-02-29T12:30:00.123456Z", "+294276-12-31T23:59:58.000Z"]);
    expect(JSON.stringify(new PreciseDate("2024-02-29T12:30:00.123456Z"))).toBe('"2024-02-29T12:30:00.123456Z"');
    expect(new PreciseDate("2024-02-29T12:30:00.123456Z").getTime()).toBe(Date.UTC(2024, 1, 29, 12, 30, 0, 123));
    // A finite value that Date represents like infinity.
    expect(dateTimeText(dateOfText("+275760-09-13T00:00:00.000Z"))).toBe("+275760-09-13T00:00:00.000Z");
  });

  it.each([
    ["2024-02-29T12:30:00.000Z", "2024-02-29T12:30:00.000Z"],
    ["-000043-03-15T10:00:00.500Z", "0044-03-15 10:00:00.500+00 BC"],
    ["-000001-01-01T00:00:00.000Z", "0002-01-01 00:00:00.000+00 BC"],
    ["0000-01-01T00:00:00.000Z", "0001-01-01 00:00:00.000+00 BC"],
    ["+012025-01-01T00:00:00.000Z", "12025-01-01 00:00:00.000+00"],
  ])("%s is sent to PostgreSQL as %s", (text, sql) => {
    expect(sqlOfDateTime(text)).toBe(sql);
  });

  it.each(["", "2024", "2024-02-29 12:30", "next year", "2024-02-29 12:30:00.1234567"])(
    "is not read from the text %j",
    (text) => {
      expect(dateTimeTextOfSql(text)).toBeUndefined();
    },
  );
});
