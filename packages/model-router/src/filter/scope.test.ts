import type { StoredField } from "@servicekit/orm";
import { describe, expect, it } from "vitest";
import { allOf, anyOf, conditionScope, notOf, relatedScope, type Scope } from "./scope.js";

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
    [field("String"), "contains", "", "every"],
    [field("String"), "equals", "", "every"],
    [field("String"), "gte", "", "every"],
    [field("String"), "equals", "a", "some"],
    [field("Boolean"), "in", [true, false], "every"],
    [field("Boolean"), "in", [true], "some"],
    [size, "in", ["S", "M"], "every"],
    [size, "notIn", ["M", "S"], "none"],
    [field("Int"), "notIn", [], "every"],
    [field("DateTime"), "gte", new Date("0001-01-01T00:00:00Z"), "every"],
    [field("DateTime"), "gte", new Date("2001-01-01T00:00:00Z"), "some"],
    [field("Float"), "lte", Number.MAX_VALUE, "every"],
    [field("Float", { nativeType: { name: "Real", args: [] } }), "gte", -(2 - 2 ** -23) * 2 ** 127, "every"],
    [field("Decimal", { nativeType: { name: "Decimal", args: ["4", "2"] } }), "lte", "1000", "every"],
    [field("Decimal", { nativeType: { name: "Decimal", args: ["4", "2"] } }), "lte", "-1000", "some"],
    [field("Decimal", { nativeType: { name: "Decimal", args: ["4", "2"] } }), "gte", "-1000", "every"],
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
