import fc from "fast-check";
import { expect, it } from "vitest";
import { readDate } from "./read-date.js";

const years = { min: new Date("0001-01-01T00:00:00.000Z"), max: new Date("9999-12-31T23:59:59.999Z") };

it("C12 reads a date equally in JavaScript's format and in others", () => {
  fc.assert(
    fc.property(fc.date({ ...years, noInvalidDate: true }), (date) => {
      const text = date.toISOString();
      for (const spelling of [text, text.toLowerCase(), text.replace("T", " "), text.replace("Z", "+00:00")]) {
        expect(readDate(spelling), spelling).toEqual(date);
      }
    }),
  );
});

it.each([
  "2025-02-30T08:00:00.000Z",
  "2025-02-28T24:00:00.000Z",
  "0000-01-01T00:00:00.000Z",
  "2025-13-01T00:00:00.000Z",
  "+02025-01-01T08:00:00.00Z",
  "Mon, 01 Jan 2024 00:00 Z",
])("C12 %s is not a date", (text) => {
  expect(readDate(text)).toBeUndefined();
});
