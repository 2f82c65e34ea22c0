import { describe, expect, it } from "vitest";
import { kindsModels } from "../../test/kinds-models.js";
import type { StoredField } from "../models/model.js";
import { anyNull } from "../values/prisma-nulls.js";
import {
  allOf,
  anyOf,
  condition,
  everyRow,
  type Filter,
  jsonCondition,
  noRow,
  notOf,
  opaque,
  related,
} from "./filter.js";
import { toWhere } from "./to-where.js";

const author = kindsModels.get("Author") ?? expect.fail();
function field(model: string, name: string): StoredField {
  const found = kindsModels.get(model)?.fieldsByName.get(name);
  return found?.kind === "scalar" || found?.kind === "enum" ? found : expect.fail(name);
}
function relation(name: string) {
  const found = author.fieldsByName.get(name);
  return found?.kind === "relation" ? found : expect.fail(name);
}

const one = condition(field("Author", "karma"), "equals", 1);
const two = condition(field("Author", "inbox"), "contains", "a_");
const [json, jsons] = [field("Scalar", "json"), field("Collection", "jsons")];

describe("a filter in the form of Prisma Client", () => {
  it.each<readonly [string, Filter, object]>([
    ["every row", everyRow, {}],
    ["no row", noRow, { id: { in: [] } }],
    ["all", allOf([one, two]), { AND: [{ karma: { equals: 1 } }, { inbox: { contains: "a\\_" } }] }],
    ["any", anyOf([one, two]), { OR: [{ karma: { equals: 1 } }, { inbox: { contains: "a\\_" } }] }],
    ["not", notOf(one), { NOT: { karma: { equals: 1 } } }],
    ["a related row", related(relation("manager"), "is", one), { manager: { is: { karma: { equals: 1 } } } }],
    ["no related row", related(relation("manager"), "is", null), { manager: { is: null } }],
    ["any related row", related(relation("articles"), "some", everyRow), { articles: { some: {} } }],
    ["another condition", opaque({ karma: { gt: 1 } }), { karma: { gt: 1 } }],
    ["a path of JSON", jsonCondition(json, ["a"], "equals", 1, undefined), { json: { path: ["a"], equals: 1 } }],
    [
      "a text in JSON in any case",
      jsonCondition(json, ["a"], "string_contains", "x", "insensitive"),
      { json: { path: ["a"], string_contains: "x", mode: "insensitive" } },
    ],
    ["a JSON value that looks like operators", condition(json, "equals", { not: 1 }), { json: { equals: { not: 1 } } }],
    ["no JSON value", condition(json, "isNull", true), { json: { equals: anyNull } }],
    ["a JSON value in a list", condition(jsons, "has", [1]), { jsons: { has: [1] } }],
    ["JSON values in a list", condition(jsons, "hasSome", [{ a: 1 }]), { jsons: { hasSome: [{ a: 1 }] } }],
    ["a list of JSON with values", condition(jsons, "isEmpty", false), { jsons: { isEmpty: false } }],
  ])("is written for %s", (_case, filter, expected) => {
    expect(toWhere(filter, author)).toEqual(expected);
  });
});

describe("the negation of a filter", () => {
  it("of every row is no row, and the other way round", () => {
    expect(notOf(everyRow)).toBe(noRow);
    expect(notOf(noRow)).toBe(everyRow);
  });
});

describe("filters in groups", () => {
  it("are not nested in a group of the same kind", () => {
    expect(allOf([allOf([one, two]), one])).toEqual(allOf([one, two, one]));
    expect(anyOf([anyOf([one, two]), one])).toEqual(anyOf([one, two, one]));
    expect(allOf([one])).toBe(one);
    expect(anyOf([one])).toBe(one);
  });

  it("are every row or no row if a member decides it", () => {
    expect(allOf([])).toBe(everyRow);
    expect(anyOf([])).toBe(noRow);
    expect(allOf([one, noRow])).toBe(noRow);
    expect(anyOf([one, everyRow])).toBe(everyRow);
    expect(allOf([one, everyRow])).toBe(one);
    expect(anyOf([one, noRow])).toBe(one);
  });
});
