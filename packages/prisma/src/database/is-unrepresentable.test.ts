import { describe, expect, it } from "vitest";
import { PreciseDate } from "../values/moment.js";
import { isUnrepresentable, isUnrepresentableFilter } from "./is-unrepresentable.js";

describe("a clause with a value that Prisma Client cannot represent", () => {
  const date = (text: string) => new Date(text);

  it.each([
    { at: new PreciseDate("2024-01-01T00:00:00.123456Z") },
    { at: date("0000-12-31T23:59:59.999Z") },
    { at: date("+010000-01-01T00:00:00.000Z") },
    { at: date("1970-01-02T00:00:00.000Z") },
    { at: { in: [date("2024-01-01"), date("-000001-01-01T00:00:00.000Z")] } },
    { price: "NaN" },
    { price: { gt: "Infinity" } },
    { price: { lt: "-Infinity" } },
    { rate: Number.NaN },
    { OR: [{ rate: 1 }, { rate: Number.POSITIVE_INFINITY }] },
  ])("is recognized: %o", (clause) => {
    expect(isUnrepresentable(clause)).toBe(true);
  });

  it.each([
    undefined,
    null,
    "1",
    {},
    { at: date("0001-01-01T00:00:00.000Z") },
    { at: date("9999-12-31T23:59:59.999Z") },
    { at: date("1970-01-02T00:00:00.001Z") },
    { price: "1.5" },
    { rate: 1.5, flag: true, big: 1n, bytes: new Uint8Array([1]) },
    { OR: [{ rate: 1 }, { rate: { in: [1, 2] } }] },
  ])("is not confused with others: %o", (clause) => {
    expect(isUnrepresentable(clause)).toBe(false);
  });
});

describe("a filter with a number that Prisma Client rounds", () => {
  it.each([{ rate: 0.30000000000000004 }, { OR: [{ rate: { in: [1, 1.7976931348623157e308] } }] }])(
    "is recognized: %o",
    (where) => expect(isUnrepresentableFilter(where)).toBe(true),
  );

  it.each([{ rate: 0.1 }, { rate: { gt: 1e300 } }, { count: 2_147_483_647 }])("is not recognized: %o", (where) =>
    expect(isUnrepresentableFilter(where)).toBe(false),
  );
});
