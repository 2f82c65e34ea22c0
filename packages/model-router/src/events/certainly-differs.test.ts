import { allOf, anyOf, type Filter, notOf } from "@servicekit/prisma/internal";
import { expect, it } from "vitest";
import { certainlyDiffers } from "./certainly-differs.js";

const condition = (operator: string, operand: unknown): Filter =>
  ({
    kind: "condition",
    field: { kind: "scalar", name: "ownerId", type: "Int", isList: false },
    operator,
    operand,
  }) as unknown as Filter;

const equals = (name: string, type: string, operand: unknown, more: object = {}): Filter =>
  ({
    kind: "condition",
    field: { kind: "scalar", name, type, isList: false, ...more },
    operator: Array.isArray(operand) ? "in" : "equals",
    operand,
  }) as unknown as Filter;

it.each<[string, Filter, boolean]>([
  ["another number", equals("ownerId", "Int", 6), true],
  ["the same number", equals("ownerId", "Int", 5), false],
  ["a list with the number", equals("ownerId", "Int", [4, 5]), false],
  ["a list without the number", equals("ownerId", "Int", [4, 6]), true],
  ["a bigint that is a text in the state", equals("count", "BigInt", 9007199254740993n), false],
  ["another bigint", equals("count", "BigInt", 9007199254740992n), true],
  ["a value in place of NULL", equals("none", "Int", 5), true],
  ["NULL", equals("none", "Int", null), false],
  ["another text", equals("name", "String", "b"), true],
  ["a text in other case, as some types compare it", equals("name", "String", "ANN"), false],
  ["a uuid in capitals", equals("ref", "String", "0B0F"), false],
  ["another decimal, which has other forms", equals("price", "Decimal", 2), false],
  ["a field that is not recorded", equals("secret", "Int", 5), false],
  ["a list field", equals("readers", "Int", 5, { isList: true }), false],
  ["one of several that all must match", allOf([equals("ownerId", "Int", 5), equals("name", "String", "b")]), true],
  [
    "one of several of which one must match",
    anyOf([equals("ownerId", "Int", 5), equals("name", "String", "b")]),
    false,
  ],
  ["all of several of which one must match", anyOf([equals("ownerId", "Int", 6), equals("name", "String", "b")]), true],
  ["other operators with a list", condition("notIn", [4, 6]), false],
  ["other operators with a value", condition("lt", 6), false],
  ["an empty list", condition("in", []), true],
  ["a negation", notOf(equals("ownerId", "Int", 6)), false],
])("C111 compares a state without the database with %s: %s", (_, filter, expected) => {
  const state = {
    ownerId: 5,
    count: "9007199254740993",
    none: null,
    name: "Ann",
    ref: "0b0f",
    price: "1",
    readers: [1],
  };
  expect(certainlyDiffers(filter, state)).toBe(expected);
});
