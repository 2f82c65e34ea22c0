import fc from "fast-check";
import { expect, it } from "vitest";
import { dateOfText } from "../values/moment.js";
import { dateTimeOf } from "./column-text.js";

const years = { min: new Date("0001-01-01T00:00:00.000Z"), max: new Date("9999-12-31T23:59:59.999Z") };

it("C71 reads a date-time of PostgreSQL in any precision and with its zone", () => {
  fc.assert(
    fc.property(fc.date({ ...years, noInvalidDate: true }), fc.integer({ min: 1, max: 999 }), (date, count) => {
      const text = date.toISOString().replace("T", " ").replace("Z", "");
      const micros = String(count).padStart(3, "0");
      for (const zone of ["", "+00"]) {
        expect(dateTimeOf("timestamp", text + zone)).toBe(date.toISOString());
        expect(dateTimeOf("timestamp", text + micros + zone)).toBe(date.toISOString().replace("Z", `${micros}Z`));
        expect(dateOfText(dateTimeOf("timestamp", text + micros + zone)).getTime()).toBe(date.getTime());
        expect(dateTimeOf("timestamp", text.slice(0, 19) + zone)).toBe(`${date.toISOString().slice(0, 19)}.000Z`);
        expect(dateTimeOf("timestamp", text.slice(0, 21) + zone)).toBe(`${date.toISOString().slice(0, 21)}00Z`);
      }
    }),
  );
});

it.each([
  ["timestamp", "infinity", "infinity"],
  ["timestamp", "-infinity", "-infinity"],
  ["date", "infinity", "infinity"],
  ["timestamp", "12025-01-01 00:00:00", "+012025-01-01T00:00:00.000Z"],
  ["timestamp", "294276-12-31 23:59:59.999999+00", "+294276-12-31T23:59:59.999999Z"],
  ["timestamp", "0044-03-15 12:00:00 BC", "-000043-03-15T12:00:00.000Z"],
  ["timestamp", "0044-03-15 12:00:00.5+00 BC", "-000043-03-15T12:00:00.500Z"],
  ["timestamp", "0001-01-01 00:00:00 BC", "0000-01-01T00:00:00.000Z"],
  ["date", "0044-03-15 BC", "-000043-03-15T00:00:00.000Z"],
  ["date", "12025-01-01", "+012025-01-01T00:00:00.000Z"],
  ["time", "12:30:00.123456", "1970-01-01T12:30:00.123456Z"],
  ["time", "24:00:00", "1970-01-02T00:00:00.000Z"],
  ["time", "07:00:00+00", "1970-01-01T07:00:00.000Z"],
] as const)("C92 returns the %s %s as %s", (form, text, shown) => {
  expect(dateTimeOf(form, text)).toBe(shown);
});
