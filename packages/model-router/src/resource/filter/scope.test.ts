import type { RelationField, StoredField } from "@servicekit/prisma";
import { allOf, anyOf, condition, type Filter, notOf, related } from "@servicekit/prisma/internal";
import { describe, expect, it } from "vitest";
import { isCriterion, type Scope, scopeOf } from "./scope.js";

const field = (type: string, more: Partial<StoredField> = {}): StoredField =>
  ({ kind: "scalar", name: "f", type, isRequired: true, isList: false, nativeType: undefined, ...more }) as StoredField;
const size = field("Size", { kind: "enum", values: ["S", "M"] } as never);

describe("C14 evaluates a condition by types only", () => {
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
    [field("Decimal", { nativeType: { name: "Decimal", args: ["4", "2"] } }), "lte", "-1000", "none"],
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
    [field("Int"), "lt", -(2 ** 31), "none"],
    [field("Int"), "lt", 2 ** 31 - 1, "some"],
    [field("Int"), "lte", -(2 ** 31), "some"],
    [field("Int"), "gt", -(2 ** 31), "some"],
    [field("Int"), "gte", 2 ** 31 - 1, "some"],
    [field("Int"), "not", 1, "some"],
    [field("Int"), "equals", "1", "some"],
    [field("Int", { isList: true }), "equals", [1], "some"],
    [field("Int", { nativeType: { name: "SmallInt", args: [] } }), "lte", 32767, "every"],
    [field("BigInt"), "gt", 2n ** 63n - 1n, "none"],
    [field("Boolean"), "not", true, "some"],
    [field("Boolean"), "notIn", [true, false], "none"],
    [field("Boolean"), "lt", true, "some"],
    [size, "not", "S", "some"],
    [size, "equals", "XL", "some"],
    [field("String"), "lt", "a", "some"],
    [field("Json"), "equals", 1, "some"],
    [field("DateTime"), "gt", new Date("0001-01-01T00:00:00Z"), "every"],
    [field("DateTime"), "gt", new Date("0002-01-01T00:00:00Z"), "some"],
    [field("DateTime"), "lt", new Date("0001-06-01T00:00:00Z"), "none"],
    [field("DateTime"), "lt", new Date("0002-06-01T00:00:00Z"), "some"],
    [field("DateTime"), "lte", new Date("9999-01-01T00:00:00Z"), "every"],
    [field("DateTime"), "lte", new Date("9998-12-31T00:00:00Z"), "some"],
    [field("DateTime"), "gt", new Date("9999-01-01T00:00:00Z"), "none"],
    [field("DateTime"), "equals", new Date("+010000-01-01T00:00:00Z"), "none"],
    [field("DateTime"), "gte", new Date("0000-01-01T00:00:00Z"), "every"],
    [field("DateTime"), "lt", new Date("0000-01-01T00:00:00Z"), "none"],
    [field("DateTime"), "gte", new Date(Number.NaN), "some"],
    [field("DateTime"), "equals", "2001-01-01", "some"],
    [field("DateTime", { nativeType: { name: "Time", args: [] } }), "lt", new Date("1970-01-01T00:00:00Z"), "none"],
    [field("DateTime", { nativeType: { name: "Time", args: [] } }), "gt", new Date("1970-01-01T00:00:00Z"), "some"],
    [field("DateTime", { nativeType: { name: "Timetz", args: [] } }), "gte", new Date("1970-01-01T00:00:00Z"), "every"],
    [field("Float"), "gt", -Number.MAX_VALUE, "every"],
    [field("Float"), "gte", 0, "some"],
    [field("Float"), "gt", Number.MAX_VALUE, "none"],
    [field("Float"), "lte", (2 - 2 ** -23) * 2 ** 127, "some"],
    [field("Float"), "lte", Number.POSITIVE_INFINITY, "every"],
    [field("Float"), "lt", Number.POSITIVE_INFINITY, "some"],
    [field("Float"), "gte", Number.POSITIVE_INFINITY, "some"],
    [field("Float"), "gte", Number.NEGATIVE_INFINITY, "every"],
    [field("Decimal"), "gte", "-Infinity", "every"],
    [field("Decimal"), "lte", "Infinity", "every"],
    [field("Decimal"), "gt", "-Infinity", "some"],
    [field("String"), "gte", "-Infinity", "some"],
    [field("Float", { nativeType: { name: "Real", args: [] } }), "lte", (2 - 2 ** -23) * 2 ** 127, "every"],
    [field("Decimal", { nativeType: { name: "Decimal", args: ["2", "2"] } }), "gte", "-0.99", "every"],
    [field("Decimal", { nativeType: { name: "Decimal", args: ["2", "2"] } }), "lte", "NaN", "some"],
    [field("String", { nativeType: { name: "Uuid", args: [] } }), "lt", "00000000-0000-0000-0000-000000000000", "none"],
    [
      field("String", { nativeType: { name: "Uuid", args: [] } }),
      "lte",
      "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
      "every",
    ],
    [field("String", { nativeType: { name: "Inet", args: [] } }), "not", "10.0.0.1", "some"],
    [field("Int"), "isNull", true, "none"],
    [field("Int", { isRequired: false }), "isNull", true, "some"],
    [field("Int", { isRequired: false }), "isNull", false, "some"],
    [field("Int"), "isNull", false, "every"],
  ])("%o %s %o", (of, operator, operand, scope) => {
    expect(scopeOf(condition(of, operator, operand))).toBe(scope);
  });
});

const flag = field("Boolean", { name: "flag" });
const pages = field("Int", { name: "pages" });
const price = field("Decimal", { name: "price", nativeType: { name: "Decimal", args: ["4", "2"] } } as never);
const title = field("String", { name: "title" });
const is = (of: StoredField, operator: string, operand: unknown): Filter => condition(of, operator, operand);

describe("C14 evaluates all conditions on one field together", () => {
  it.each<[string, Filter, Scope]>([
    ["both flags", anyOf([is(flag, "equals", true), is(flag, "equals", false)]), "every"],
    ["both flags at once", allOf([is(flag, "equals", true), is(flag, "equals", false)]), "none"],
    ["one flag twice", anyOf([is(flag, "equals", true), is(flag, "equals", true)]), "some"],
    ["a flag or not", anyOf([is(flag, "equals", true), notOf(is(flag, "equals", true))]), "every"],
    ["neither flag, negated", notOf(allOf([is(flag, "equals", true), is(flag, "equals", false)])), "every"],
    ["every size", anyOf([is(size, "equals", "S"), is(size, "in", ["M"])]), "every"],
    ["a number or another", anyOf([is(pages, "lt", 5), is(pages, "gte", 5)]), "every"],
    ["a number and its neighbours", anyOf([is(pages, "lte", 4), is(pages, "gt", 4)]), "every"],
    ["whole numbers that touch", anyOf([is(pages, "lte", 4), is(pages, "gte", 5)]), "every"],
    ["a gap of one", anyOf([is(pages, "lt", 4), is(pages, "gt", 4)]), "some"],
    ["a gap that is filled", anyOf([is(pages, "lt", 4), is(pages, "gt", 4), is(pages, "equals", 4)]), "every"],
    ["decimals that touch", anyOf([is(price, "lt", "1.5"), is(price, "gte", "1.50")]), "every"],
    ["decimals with a gap", anyOf([is(price, "lt", "1.5"), is(price, "gt", "1.5")]), "some"],
    ["a text or not", anyOf([is(title, "equals", "a"), is(title, "not", "a")]), "every"],
    // The database compares texts by its collation.
    ["texts before and after others", anyOf([is(title, "lt", "a"), is(title, "gt", "Z")]), "some"],
    ["a text that equals two values", allOf([is(title, "equals", "a"), is(title, "equals", "b")]), "none"],
    ["texts that differ by case", allOf([is(title, "equals", "a"), is(title, "equals", "A")]), "none"],
    ["numbers between others", allOf([is(pages, "gt", 4), is(pages, "lt", 6)]), "some"],
    ["numbers between neighbours", allOf([is(pages, "gt", 4), is(pages, "lt", 5)]), "none"],
    ["numbers in any order", anyOf([is(pages, "gt", 6), is(pages, "in", [6, 5]), is(pages, "lt", 5)]), "every"],
    ["a number in two ranges", anyOf([is(pages, "lt", 9), is(pages, "lt", 5), is(pages, "gte", 9)]), "every"],
    ["two texts", anyOf([is(title, "equals", "a"), is(title, "equals", "b")]), "some"],
    [
      "another field between",
      anyOf([is(flag, "equals", true), is(pages, "gt", 5), is(flag, "equals", false)]),
      "every",
    ],
    [
      "beside another field",
      allOf([anyOf([is(flag, "equals", true), is(flag, "equals", false)]), is(pages, "gt", 5)]),
      "some",
    ],
    ["a date in the far future", notOf(is(field("DateTime"), "equals", new Date("9999-12-31T00:00:00Z"))), "some"],
  ])("%s", (_title, filter, scope) => {
    expect(scopeOf(filter)).toBe(scope);
  });
});

const relation = (more: Partial<RelationField>): RelationField =>
  ({ kind: "relation", name: "r", type: "R", isRequired: false, isList: false, ...more }) as RelationField;
const many = relation({ isList: true });
const oneRequired = relation({ isRequired: true });
const some = is(title, "equals", "a");
const every = is(pages, "gte", -(2 ** 31));
const none = is(pages, "gt", 2 ** 31 - 1);
const empty = is(title, "equals", "");

it("C14 evaluates groups and relations", () => {
  expect(scopeOf(allOf([every, some]))).toBe("some");
  expect(scopeOf(allOf([every, every]))).toBe("every");
  expect(scopeOf(anyOf([some, every]))).toBe("every");
  expect(scopeOf(allOf([some, none]))).toBe("none");
  expect(scopeOf(anyOf([none, none]))).toBe("none");
  expect(scopeOf(anyOf([none, some]))).toBe("some");
  expect(scopeOf(notOf(some))).toBe("some");
  expect(scopeOf(notOf(every))).toBe("none");
  expect(scopeOf(notOf(none))).toBe("every");
  expect(scopeOf(related(many, "none", none))).toBe("every");
  expect(scopeOf(related(many, "every", every))).toBe("every");
  expect(scopeOf(related(many, "some", every))).toBe("some");
  expect(scopeOf(related(many, "some", none))).toBe("none");
  expect(scopeOf(related(many, "none", some))).toBe("some");
  expect(scopeOf(related(many, "every", some))).toBe("some");
  expect(scopeOf(related(relation({}), "is", none))).toBe("none");
  expect(scopeOf(related(relation({}), "is", every))).toBe("some");
  expect(scopeOf(related(relation({}), "isNot", none))).toBe("every");
  expect(scopeOf(related(relation({}), "isNot", every))).toBe("some");
  expect(scopeOf(related(oneRequired, "isNot", every))).toBe("none");
  expect(scopeOf(related(oneRequired, "is", some))).toBe("some");
  expect(scopeOf(related(oneRequired, "is", null))).toBe("some");
  expect(scopeOf(related(oneRequired, "is", every))).toBe("every");
  expect(scopeOf(related(oneRequired, "isNot", none))).toBe("every");
});

it("C14 an empty value is not a criterion, and neither is its negation", () => {
  expect(scopeOf(notOf(empty))).toBe("empty");
  expect(scopeOf(allOf([empty, empty]))).toBe("empty");
  expect(scopeOf(allOf([empty, every]))).toBe("every");
  expect(scopeOf(allOf([empty, some]))).toBe("some");
  expect(scopeOf(anyOf([empty, some]))).toBe("empty");
  for (const quantifier of ["some", "every", "none"] as const) {
    expect(scopeOf(related(many, quantifier, empty))).toBe("empty");
  }
  for (const quantifier of ["is", "isNot"] as const) {
    expect(scopeOf(related(oneRequired, quantifier, empty))).toBe("empty");
    expect(scopeOf(related(relation({}), quantifier, empty))).toBe("empty");
  }
  expect([every, empty, some, none].map((filter) => isCriterion(filter))).toEqual([false, false, true, true]);
});
