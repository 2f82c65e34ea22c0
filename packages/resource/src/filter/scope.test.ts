import type { StoredField } from "@servicekit/orm";
import { describe, expect, it } from "vitest";
import { allOf, anyOf, conditionScope, isCriterion, notOf, relatedScope, type Scope } from "./scope.js";

const field = (type: string, more: Partial<StoredField> = {}): StoredField =>
  ({ kind: "scalar", name: "f", type, isRequired: true, isList: false, nativeType: undefined, ...more }) as StoredField;
const size = field("Size", { kind: "enum", values: ["S", "M"] } as never);

describe("C14 judges a condition by types alone", () => {
  it.each<[StoredField, string, unknown, Scope]>([
    [field("Int"), "equals", 1, "some"],
    [field("Int"), "gte", -(2 ** 31), "every"],
    [field("Int"), "lte", 2 ** 31 - 1, "every"],
    [field("Int"), "gt", 2 ** 31 - 1, "none"],
    [field("Int"), "gt", 0, "some"],
    [field("BigInt"), "gte", -(2n ** 63n), "every"],
    [field("String"), "contains", "", "empty"],
    [field("String"), "equals", "", "empty"],
    [field("String"), "gte", "", "empty"],
    [field("String"), "equals", "a", "some"],
    [field("Boolean"), "in", [true, false], "every"],
    [field("Boolean"), "in", [true], "some"],
    [size, "in", ["S", "M"], "every"],
    [size, "notIn", ["M", "S"], "none"],
    [field("Int"), "notIn", [], "empty"],
    [field("DateTime"), "gte", new Date("0001-01-01T00:00:00Z"), "every"],
    [field("DateTime"), "gte", new Date("2001-01-01T00:00:00Z"), "some"],
    [field("Float"), "lte", Number.MAX_VALUE, "every"],
    [field("Float", { nativeType: { name: "Real", args: [] } }), "gte", -(2 - 2 ** -23) * 2 ** 127, "every"],
    [field("Decimal", { nativeType: { name: "Decimal", args: ["4", "2"] } }), "lte", "1000", "every"],
    [field("Decimal", { nativeType: { name: "Decimal", args: ["4", "2"] } }), "lte", "-1000", "some"],
    [field("Decimal", { nativeType: { name: "Decimal", args: ["4", "2"] } }), "gte", "-1000", "every"],
    [field("Decimal", { nativeType: { name: "Decimal", args: ["4", "2"] } }), "gte", "-99.99", "every"],
    [field("Decimal", { nativeType: { name: "Decimal", args: ["4", "2"] } }), "gte", "-99.98", "some"],
    [field("Decimal", { nativeType: { name: "Decimal", args: ["4", "2"] } }), "lte", "99.99", "every"],
    [field("Decimal", { nativeType: { name: "Decimal", args: ["4", "2"] } }), "gt", "99.99", "none"],
    [field("Decimal", { nativeType: { name: "Decimal", args: ["4", "2"] } }), "lte", "9.99", "some"],
    [field("Decimal", { nativeType: { name: "Decimal", args: ["4", "0"] } }), "lte", "9999", "every"],
    [field("Decimal", { nativeType: { name: "Decimal", args: ["2", "2"] } }), "lte", "0.5", "some"],
    [field("Decimal", { nativeType: { name: "Decimal", args: ["2", "2"] } }), "lte", "0.99", "every"],
    [
      field("String", { nativeType: { name: "Uuid", args: [] } }),
      "gte",
      "00000000-0000-0000-0000-000000000000",
      "every",
    ],
    [field("String", { nativeType: { name: "Uuid", args: [] } }), "gt", "00000000-0000-0000-0000-000000000000", "some"],
    [
      field("String", { nativeType: { name: "Uuid", args: [] } }),
      "lte",
      "ffffffff-ffff-ffff-ffff-ffffffffffff",
      "every",
    ],
    [field("DateTime", { nativeType: { name: "Time", args: [] } }), "gte", new Date("1970-01-01T00:00:00Z"), "every"],
    [field("DateTime"), "gte", new Date("1970-01-01T00:00:00Z"), "some"],
    [field("Int", { isRequired: false }), "isNull", false, "some"],
    [field("Int"), "isNull", false, "every"],
  ])("%o %s %o", (of, operator, operand, scope) => {
    expect(conditionScope(of, operator, operand as never)).toBe(scope);
  });
});

it("C14 carries the judgement through groups and relations", () => {
  expect(allOf(["every", "some"])).toBe("some");
  expect(allOf(["every", "every"])).toBe("every");
  expect(anyOf(["some", "every"])).toBe("every");
  expect(anyOf(["none", "none"])).toBe("none");
  expect(notOf("none")).toBe("every");
  expect(relatedScope("none", "none", false)).toBe("every");
  expect(relatedScope("every", "every", false)).toBe("every");
  expect(relatedScope("some", "every", false)).toBe("some");
  expect(relatedScope("is", "every", true)).toBe("every");
  expect(relatedScope("isNot", "none", true)).toBe("every");
});

it("C14 an empty value is no criterion, and its negation is none either", () => {
  expect(notOf("empty")).toBe("empty");
  expect(notOf(notOf("empty"))).toBe("empty");
  expect(allOf(["empty", "empty"])).toBe("empty");
  expect(allOf(["empty", "every"])).toBe("every");
  expect(allOf(["empty", "some"])).toBe("some");
  expect(anyOf(["empty", "some"])).toBe("empty");
  for (const quantifier of ["some", "every", "none", "is", "isNot"]) {
    expect(relatedScope(quantifier, "empty", true)).toBe("empty");
    expect(relatedScope(quantifier, "empty", false)).toBe("empty");
  }
  expect((["every", "empty", "some", "none"] as const).map(isCriterion)).toEqual([false, false, true, true]);
});
