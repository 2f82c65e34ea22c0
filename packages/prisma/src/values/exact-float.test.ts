import { expect, it } from "vitest";
import { exactFloat } from "./exact-float.js";

it.each([0, -0, 1, 0.1, -2.5, 123456789.123456, 1e300, 5e-324, 9007199254740991])("%d is passed unchanged", (value) => {
  expect(exactFloat(value)).toBe(value);
});

it.each([0.30000000000000004, 1e300 / 3, Number.MAX_VALUE, 2.2250738585072014e-308, -1 / 3])(
  "%d, which Prisma would round, is passed as a decimal",
  (value) => {
    const exact = exactFloat(value) as { s: number; e: number; d: unknown; toFixed(): string };
    expect([typeof exact.s, typeof exact.e, Array.isArray(exact.d)]).toEqual(["number", "number", true]);
    expect(Number(exact.toFixed())).toBe(value);
    expect((exactFloat([value]) as unknown[])[0]).not.toBe(value);
  },
);

it("leaves other values unchanged", () => {
  for (const value of ["1", null, undefined, true, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(exactFloat(value)).toBe(value);
  }
});
