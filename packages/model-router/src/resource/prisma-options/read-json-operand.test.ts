import type { StoredField } from "@servicekit/prisma";
import { expect, it } from "vitest";
import { readJsonOperand } from "./read-json-operand.js";

const field = (type: string, more: object = {}): StoredField =>
  ({ kind: "scalar", name: "f", type, isRequired: true, isList: false, nativeType: undefined, ...more }) as StoredField;
const size = field("Size", { kind: "enum", values: ["S", "M"] });

it.each<[StoredField, unknown, unknown]>([
  [field("Int"), 1, 1],
  [field("Float"), 1.5, 1.5],
  [field("BigInt"), 1, 1n],
  [field("BigInt"), "9007199254740993", 9007199254740993n],
  [field("Decimal"), "1.50", "1.5"],
  [field("Decimal"), 1.5, "1.5"],
  [field("Boolean"), false, false],
  [field("String"), "a", "a"],
  [field("String"), "true", "true"],
  [size, "S", "S"],
  [field("DateTime"), "2024-01-01", new Date("2024-01-01T00:00:00Z")],
  [field("Json"), { a: [1, null, "x"] }, { a: [1, null, "x"] }],
  [field("Json"), null, null],
])("C22 reads an operand of %o in JSON: %j", (of, input, expected) => {
  expect(readJsonOperand(of, input)).toEqual(expected);
});

it.each<[StoredField, unknown]>([
  [field("Int"), "1"],
  [field("Int"), 1.5],
  [field("Int"), true],
  [field("Float"), "1.5"],
  [field("BigInt"), 1.5],
  [field("BigInt"), true],
  [field("Decimal"), "x"],
  [field("Boolean"), "true"],
  [field("Boolean"), 1],
  [field("String"), 1],
  [field("String"), { a: 1 }],
  [field("String"), null],
  [field("String"), "a\0"],
  [size, "XL"],
  [field("DateTime"), 0],
  [field("DateTime"), "yesterday"],
  [field("Json"), undefined],
  // The database rejects NUL, and the ORM rounds long numbers.
  [field("Json"), { a: ["\0"] }],
  [field("Json"), { "\0": 1 }],
  [field("Json"), 2 ** 60],
  [field("Json"), 0.12345678901234566],
])("C22 rejects an operand of %o in JSON: %j", (of, input) => {
  expect(readJsonOperand(of, input)).toBeUndefined();
});
