import { describe, expect, it } from "vitest";
import { comparesMoments, momentCondition } from "./moment-condition.js";

const at = new Date("2024-01-01T00:00:00.123Z");
const next = new Date("2024-01-01T00:00:00.124Z");

describe("C119 a condition of a column with microseconds", () => {
  it.each<[string, unknown, object]>([
    ["a time", at, { t: { gte: at, lt: next } }],
    ["equals", { equals: at }, { t: { gte: at, lt: next } }],
    ["not", { not: at }, { NOT: { t: { gte: at, lt: next } } }],
    ["a negated condition", { not: { gt: at } }, { NOT: { t: { gte: next } } }],
    ["in", { in: [at, next] }, { OR: [at, next].map((one) => momentCondition("t", one)) }],
    ["notIn", { notIn: [at] }, { NOT: { OR: [{ t: { gte: at, lt: next } }] } }],
    ["no time", { in: [] }, { OR: [] }],
    ["null", null, { t: { equals: null } }],
    ["not null", { not: null }, { t: { not: null } }],
    ["gte and lte", { gte: at, lte: at }, { AND: [{ t: { gte: at } }, { t: { lt: next } }] }],
    ["lt and gt", { lt: at, gt: at }, { AND: [{ t: { lt: at } }, { t: { gte: next } }] }],
  ])("%s finds every time of its milliseconds", (_title, condition, expected) => {
    expect(momentCondition("t", condition)).toEqual(expected);
  });

  it("is not changed for a key, and for a column with milliseconds", () => {
    const field = { isRounded: true, isId: false, isUnique: false };
    const compares = (more: object) => comparesMoments({ ...field, ...more } as never);
    expect([{}, { isId: true }, { isUnique: true }, { isRounded: undefined }].map(compares)).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});
