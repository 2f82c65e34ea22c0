import fc from "fast-check";
import { expect, it } from "vitest";
import { instantOf } from "./column-text.js";

const years = { min: new Date("0001-01-01T00:00:00.000Z"), max: new Date("9999-12-31T23:59:59.999Z") };

it("C71 a moment of PostgreSQL is read to the millisecond, in any precision and with its zone", () => {
  fc.assert(
    fc.property(fc.date({ ...years, noInvalidDate: true }), fc.nat(999), (date, micros) => {
      const text = date.toISOString().replace("T", " ").replace("Z", "");
      for (const zone of ["", "+00"]) {
        expect(instantOf(text + zone)).toEqual(date);
        expect(instantOf(text + String(micros).padStart(3, "0") + zone)).toEqual(date);
        expect(instantOf(text.slice(0, 19) + zone).getTime()).toBe(Math.floor(date.getTime() / 1_000) * 1_000);
        expect(instantOf(text.slice(0, 21) + zone).getTime()).toBe(Math.floor(date.getTime() / 100) * 100);
      }
    }),
  );
});

it("C71 a moment outside of the years of JavaScript is no date", () => {
  for (const text of ["infinity", "-infinity", "12025-01-01 00:00:00", "0044-03-15 12:00:00 BC"]) {
    expect(instantOf(text).getTime(), text).toBeNaN();
  }
});
