import { describe, expect, it } from "vitest";
import { kindsModels } from "../../test/kinds-models.js";
import type { StoredField } from "../models/model.js";
import { fieldCondition } from "./field-condition.js";
import { json } from "./json-operand.js";
import { isSortable, operatorsOf } from "./operators-of.js";

function field(model: string, name: string): StoredField {
  const found = kindsModels.get(model)?.fieldsByName.get(name);
  if (found?.kind !== "scalar" && found?.kind !== "enum") throw new Error(`${model}.${name} is not stored.`);
  return found;
}

const rejected = expect.objectContaining({ status: 400, code: "InvalidQuery" });
const hostile: readonly unknown[] = [
  { _ref: "password", _container: "Author" },
  { contains: "a" },
  {},
  [],
  [["a"]],
  () => "a",
  Symbol("a"),
  undefined,
  { toFixed: () => "1", s: 1, e: 1, d: [1] },
];

describe("C18 an operand", () => {
  it.each(
    ["string", "boolean", "int", "bigInt", "float", "decimal", "dateTime", "json", "bytes", "stage"].map((name) =>
      field("Scalar", name),
    ),
  )("of $name is never an object, a list or undefined", (scalar) => {
    for (const operand of hostile) {
      expect(() => fieldCondition(scalar, "equals", operand)).toThrow(rejected);
      if (operatorsOf(scalar).includes("in")) expect(() => fieldCondition(scalar, "in", [operand])).toThrow(rejected);
    }
  });

  it.each([
    ["int", 1.5],
    ["int", 2 ** 31],
    ["int", "1"],
    ["int", 1n],
    ["bigInt", 2n ** 63n],
    ["bigInt", 2 ** 53],
    ["float", "1"],
    ["decimal", "abc"],
    ["decimal", "1e9999"],
    ["dateTime", "2020-01-01"],
    ["dateTime", new Date(Number.NaN)],
    ["boolean", "true"],
    ["stage", "in review"],
    ["stage", "NONE"],
    ["bytes", "AQI="],
    ["json", { a: 1 }],
    ["json", "a"],
    ["string", "a\0b"],
    ["string", "\ud800"],
    ["string", 1],
  ])("of %s cannot be %s", (name, operand) => {
    expect(() => fieldCondition(field("Scalar", name), "equals", operand)).toThrow(rejected);
  });

  it("is null only for equals and not of a nullable field", () => {
    expect(fieldCondition(field("Scalar", "int"), "equals", null)).toEqual({ int: { equals: null } });
    expect(() => fieldCondition(field("Scalar", "int"), "gt", null)).toThrow(rejected);
    expect(() => fieldCondition(field("Author", "karma"), "equals", null)).toThrow(rejected);
    expect(() => fieldCondition(field("Author", "karma"), "isNull", true)).toThrow(rejected);
  });

  it("of a small integer must be in its range", () => {
    expect(() => fieldCondition(field("Native", "smallInt"), "equals", 40_000)).toThrow(rejected);
    expect(fieldCondition(field("Native", "oid"), "equals", 4_000_000_000)).toEqual({ oid: { equals: 4_000_000_000 } });
  });
});

describe("C18 a condition", () => {
  it.each([
    ["contains", { contains: "\\%\\_\\\\" }],
    ["startsWith", { startsWith: "\\%\\_\\\\" }],
    ["endsWith", { endsWith: "\\%\\_\\\\" }],
    ["icontains", { contains: "\\%\\_\\\\", mode: "insensitive" }],
    ["istartsWith", { startsWith: "\\%\\_\\\\", mode: "insensitive" }],
    ["iendsWith", { endsWith: "\\%\\_\\\\", mode: "insensitive" }],
    ["iequals", { equals: "\\%\\_\\\\", mode: "insensitive" }],
    ["equals", { equals: "%_\\" }],
    ["not", { not: "%_\\" }],
    ["gt", { gt: "%_\\" }],
  ])("%s escapes the wildcards of LIKE", (operator, expected) => {
    expect(fieldCondition(field("Scalar", "string"), operator, "%_\\")).toEqual({ string: expected });
  });

  it("accepts JSON only in its wrapper", () => {
    expect(fieldCondition(field("Scalar", "json"), "equals", json({ a: 1 }))).toEqual({ json: { equals: { a: 1 } } });
  });

  it.each([
    ["stage", "gt"],
    ["boolean", "in"],
    ["json", "contains"],
    ["bytes", "lt"],
    ["string", "has"],
    ["string", "constructor"],
    ["string", "mode"],
  ])("on %s rejects %s and lists the possible operators", (name, operator) => {
    expect(() => fieldCondition(field("Scalar", name), operator, "a")).toThrow(/has no operator .*equals/);
  });
});

it("isSortable excludes lists, JSON and XML", () => {
  const scalars = (kindsModels.get("Native")?.fields ?? []).filter((one) => one.kind === "scalar");
  expect(scalars.filter((one) => !isSortable(one)).map((one) => one.name)).toEqual(["xml", "json", "jsonB"]);
  expect(isSortable(field("Collection", "ints"))).toBe(false);
});
