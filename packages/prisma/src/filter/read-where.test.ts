import { describe, expect, it } from "vitest";
import { kindsModels } from "../../test/kinds-models.js";
import type { Model } from "../models/model.js";
import type { Clause } from "../queries/query-args.js";
import type { Filter } from "./filter.js";
import { readConfiguredFilter, readRowFilter, readWhere } from "./read-where.js";
import { toWhere } from "./to-where.js";

const modelOf = (name: string): Model => kindsModels.get(name) ?? expect.fail(name);

/** A filter as text. What only Prisma Client understands is in brackets. */
function textOf(filter: Filter): string {
  switch (filter.kind) {
    case "all":
    case "any": {
      const texts = filter.filters.map(textOf);
      if (texts.length === 0) return filter.kind === "all" ? "every row" : "no row";
      return `(${texts.join(filter.kind === "all" ? " and " : " or ")})`;
    }
    case "not":
      return `not ${textOf(filter.filter)}`;
    case "condition":
      return `${filter.field.name} ${filter.operator} ${JSON.stringify(filter.operand)}`;
    case "json":
      return `${[filter.field.name, ...filter.path].join(".")} ${filter.operator} ${JSON.stringify(filter.operand)}`;
    case "related":
      return `${filter.field.name} ${filter.quantifier} ${filter.filter === null ? "null" : textOf(filter.filter)}`;
    case "opaque":
      return `[${JSON.stringify(filter.where)}]`;
  }
}

describe("a row rule", () => {
  const read = (where: unknown, name = "Author"): Filter => readRowFilter(where, modelOf(name), kindsModels);

  it.each<readonly [unknown, string]>([
    [undefined, "no filter"],
    [null, "no filter"],
    [true, "no filter"],
    [[{ karma: 1 }], "no filter"],
    [{}, "an empty filter"],
    [{ karma: undefined }, "undefined for karma"],
    [{ karma: { gt: undefined } }, "undefined in karma"],
    [{ karma: { not: { gt: undefined } } }, "undefined in karma"],
    [{ karma: { in: [1, undefined] } }, "undefined in karma"],
    [{ karma: {} }, "nothing for karma"],
    [{ AND: undefined }, "undefined for AND"],
    [{ AND: [] }, "nothing for AND"],
    [{ NOT: [] }, "nothing for NOT"],
    [{ OR: "karma" }, "nothing for OR"],
    [{ AND: [{ karma: 1 }, null] }, "no filter in AND"],
    [{ OR: [{ karma: 1 }, {}] }, "an empty filter"],
    [{ NOT: {} }, "an empty filter"],
    [{ manager: undefined }, "undefined for manager"],
    [{ manager: { is: undefined } }, "undefined for is"],
    [{ manager: { karma: undefined } }, "undefined for karma"],
    [{ articles: {} }, "nothing for articles"],
    [{ manager: { is: { articles: {} } } }, "nothing for articles"],
    [{ articles: { some: undefined } }, "undefined for some"],
    [{ articles: { some: { title: undefined } } }, "undefined for title"],
    [{ articles: { none: { AND: [] } } }, "nothing for AND"],
  ])("%j is an error: it must not grant access to every row", (where, what) => {
    expect(() => read(where)).toThrow(
      new TypeError(`The row rule of Author returned ${what}: return true for all rows, or false for none.`),
    );
  });

  it("names an unknown field, and a similar one", () => {
    expect(() => read({ karms: 1 })).toThrow(
      new TypeError("A row rule uses karms, which is not a field of Author. Did you mean karma?"),
    );
    expect(() => read({ manager: { is: { unrelated: 1 } } })).toThrow(/unrelated, which is not a field of Author$/);
  });

  it.each<readonly [Clause, string]>([
    [{ path: ["a"] }, "without an operator"],
    [{ path: ["a"], equals: undefined }, "undefined in json"],
    [{ path: [], equals: 1 }, "that is not a list of texts"],
    [{ path: ["a", 0], equals: 1 }, "that is not a list of texts"],
    [{ path: "$.a", equals: 1 }, "that is not a list of texts"],
  ])("needs a path of JSON and an operator: %j", (json, what) => {
    expect(() => read({ json }, "Scalar")).toThrow(what);
  });

  it.each<readonly [Clause, string]>([
    [{ karma: 1, email: "a" }, '(karma equals 1 and email equals "a")'],
    [{ OR: [{ karma: 1 }, { karma: { gte: 3 } }] }, "(karma equals 1 or karma gte 3)"],
    [{ OR: [] }, "no row"],
    [{ AND: [{ karma: 1 }, { OR: [] }] }, "no row"],
    [{ NOT: { OR: [] } }, "every row"],
    [{ NOT: [{ karma: 1 }, { karma: 2 }] }, "(not karma equals 1 and not karma equals 2)"],
    [{ inbox: null }, "inbox isNull true"],
    [{ inbox: { not: null } }, "inbox isNull false"],
    [{ articles: { some: {} } }, "articles some every row"],
    [{ manager: { is: {} } }, "manager is every row"],
    [{ manager: null }, "manager is null"],
    [{ manager: { isNot: null } }, "manager isNot null"],
    [{ manager: { karma: 1 } }, "manager is karma equals 1"],
    [
      { manager: { is: { karma: 1 }, isNot: { karma: 2 } } },
      "(manager is karma equals 1 and manager isNot karma equals 2)",
    ],
  ])("is read as a filter: %j", (where, expected) => {
    expect(textOf(read(where))).toBe(expected);
  });
});

describe("filters of the same relation", () => {
  const read = (where: Clause): string => textOf(readRowFilter(where, modelOf("Author"), kindsModels));
  const [one, two] = [{ karma: 1 }, { inbox: "a" }];

  it.each<readonly [Clause, string]>([
    [{ AND: [{ manager: { is: one } }, { manager: { is: two } }] }, 'manager is (karma equals 1 and inbox equals "a")'],
    [{ OR: [{ manager: { is: one } }, { manager: { is: two } }] }, 'manager is (karma equals 1 or inbox equals "a")'],
    [
      { AND: [{ manager: { isNot: one } }, { manager: { isNot: two } }] },
      'manager isNot (karma equals 1 or inbox equals "a")',
    ],
    [
      { OR: [{ manager: { isNot: one } }, { manager: { isNot: two } }] },
      'manager isNot (karma equals 1 and inbox equals "a")',
    ],
    [
      { OR: [{ reports: { some: one } }, { reports: { some: two } }] },
      'reports some (karma equals 1 or inbox equals "a")',
    ],
    [
      { AND: [{ reports: { none: one } }, { reports: { none: two } }] },
      'reports none (karma equals 1 or inbox equals "a")',
    ],
    [
      { AND: [{ reports: { every: one } }, { reports: { every: two } }] },
      'reports every (karma equals 1 and inbox equals "a")',
    ],
    [
      { AND: [{ karma: 2 }, { manager: { is: one } }, { karma: 3 }, { manager: { is: two } }] },
      '(karma equals 2 and manager is (karma equals 1 and inbox equals "a") and karma equals 3)',
    ],
  ])("are one, if that means the same: %j", (where, expected) => {
    expect(read(where)).toBe(expected);
  });

  it.each<readonly [Clause, string]>([
    [
      { AND: [{ reports: { some: one } }, { reports: { some: two } }] },
      '(reports some karma equals 1 and reports some inbox equals "a")',
    ],
    [
      { OR: [{ reports: { none: one } }, { reports: { none: two } }] },
      '(reports none karma equals 1 or reports none inbox equals "a")',
    ],
    [
      { OR: [{ reports: { every: one } }, { reports: { every: two } }] },
      '(reports every karma equals 1 or reports every inbox equals "a")',
    ],
    [{ AND: [{ manager: null }, { manager: { is: one } }] }, "(manager is null and manager is karma equals 1)"],
    [
      { AND: [{ manager: { is: one } }, { manager: { isNot: two } }] },
      '(manager is karma equals 1 and manager isNot inbox equals "a")',
    ],
    [
      { AND: [{ friends: { none: one } }, { reports: { none: two } }] },
      '(friends none karma equals 1 and reports none inbox equals "a")',
    ],
  ])("stay separate otherwise: %j", (where, expected) => {
    expect(read(where)).toBe(expected);
  });

  it.each<readonly [Clause, string]>([
    [{ reports: { some: { OR: [] } } }, "no row"],
    [{ manager: { is: { OR: [] } } }, "no row"],
    [{ reports: { none: { OR: [] } } }, "every row"],
    [{ manager: { isNot: { OR: [] } } }, "every row"],
    [{ reports: { every: { OR: [] } } }, "reports none every row"],
    [{ reports: { every: {} } }, "every row"],
    [{ reports: { none: {} } }, "reports none every row"],
    [{ manager: { isNot: {} } }, "not manager is every row"],
  ])("that compare nothing are simplified: %j", (where, expected) => {
    expect(read(where)).toBe(expected);
  });
});

describe("a where of Prisma Client", () => {
  const read = (where: Clause, name = "Scalar"): string => textOf(readWhere(where, modelOf(name), kindsModels));

  it.each<readonly [Clause, string]>([
    [{}, "every row"],
    [{ int: undefined }, "every row"],
    [{ AND: [] }, "every row"],
    [{ AND: [{}, undefined, { int: 1 }] }, "int equals 1"],
    [{ NOT: { int: 1 } }, "not int equals 1"],
    [{ int: { not: 1 } }, "int not 1"],
    [{ int: { not: { gt: 1 } } }, "not int gt 1"],
    [{ int: { not: null } }, "int isNull false"],
    [{ int: { equals: null } }, "int isNull true"],
    [{ int: { gt: 1, lte: 3 } }, "(int gt 1 and int lte 3)"],
    [{ int: { in: [1, 2] } }, "int in [1,2]"],
    [{ string: { contains: "a\\_\\%\\\\" } }, 'string contains "a_%\\\\"'],
    [{ string: { startsWith: "a", mode: "insensitive" } }, 'string istartsWith "a"'],
    [{ string: { equals: "a\\_", mode: "insensitive" } }, 'string iequals "a_"'],
    [{ string: { equals: "a_", mode: "default" } }, 'string equals "a_"'],
    [{ string: { not: { contains: "a" }, mode: "insensitive" } }, 'not string icontains "a"'],
    [{ json: { path: ["a", "0"], equals: 1 } }, "json.a.0 equals 1"],
    [{ json: { path: ["a"], gt: 1, lt: 3 } }, "(json.a gt 1 and json.a lt 3)"],
    [{ json: { path: ["a"], gt: 1, lt: undefined } }, "json.a gt 1"],
  ])("is read as a filter: %j", (where, expected) => {
    expect(read(where)).toBe(expected);
  });

  it.each<readonly [Clause, string]>([
    [{ authorId_articleId: { authorId: 1, articleId: 2 } }, "(authorId equals 1 and articleId equals 2)"],
    [{ authorId_articleId: { authorId: 1 } }, '[{"authorId_articleId":{"authorId":1}}]'],
    [
      { authorId_articleId: { authorId: 1, articleId: { gt: 2 } } },
      '[{"authorId_articleId":{"authorId":1,"articleId":{"gt":2}}}]',
    ],
    [{ authorId_articleId: null }, '[{"authorId_articleId":null}]'],
    [{ other: { authorId: 1, articleId: 2 } }, '[{"other":{"authorId":1,"articleId":2}}]'],
  ])("has keys of several fields: %j", (where, expected) => {
    expect(read(where, "Posting")).toBe(expected);
  });

  it.each<readonly [Clause, string]>([
    [{ strings: { has: "a" } }, 'strings has "a"'],
    [{ strings: { hasSome: ["a"] } }, 'strings hasSome ["a"]'],
    [{ strings: { hasEvery: [] } }, "strings hasEvery []"],
    [{ strings: { equals: ["a"] } }, 'strings equals ["a"]'],
    [{ strings: { isEmpty: false } }, "strings isEmpty false"],
    [{ OR: [{ strings: { isEmpty: true } }, { strings: { equals: null } }] }, "strings isEmpty true"],
    [{ strings: { isEmpty: true } }, '[{"strings":{"isEmpty":true}}]'],
    [{ strings: { equals: [] } }, '[{"strings":{"equals":[]}}]'],
    [{ strings: { has: 1 } }, '[{"strings":{"has":1}}]'],
    [{ strings: { has: "a", mode: "insensitive" } }, '[{"strings":{"has":"a","mode":"insensitive"}}]'],
    [
      { OR: [{ strings: { isEmpty: true } }, { ints: { equals: null } }] },
      '([{"strings":{"isEmpty":true}}] or [{"ints":{"equals":null}}])',
    ],
    [
      { OR: [{ strings: { isEmpty: false } }, { strings: { equals: null } }] },
      '(strings isEmpty false or [{"strings":{"equals":null}}])',
    ],
    [
      { OR: [{ strings: { isEmpty: true } }, { strings: { equals: null } }, { id: 1 }] },
      '([{"strings":{"isEmpty":true}}] or [{"strings":{"equals":null}}] or id equals 1)',
    ],
  ])("compares lists as Prisma Client does, which finds no NULL with isEmpty: %j", (where, expected) => {
    expect(read(where, "Collection")).toBe(expected);
  });

  it.each<Clause>([
    { OR: [] },
    { OR: [{ int: 1 }, {}] },
    { OR: [{ int: 1 }, undefined] },
    { NOT: {} },
    { AND: "int" },
    { int: {} },
    { int: { equals: "1" } },
    { int: { in: [1, "2"] } },
    { int: { gt: null } },
    { int: { equals: { _ref: "id", _container: "Scalar" } } },
    { int: { not: { gt: 1, lt: 3 } } },
    { string: { contains: "a_b" } },
    { string: { contains: "a%" } },
    { string: { contains: "a\\b" } },
    { string: { gt: "a", mode: "insensitive" } },
    { json: { equals: 1 } },
    { json: { path: "$.a", equals: 1 } },
    { json: { path: ["a"] } },
    { unknown: 1 },
  ])("leaves what Prisma Client treats in a way of its own to it: %j", (where) => {
    expect(read(where)).toBe(`[${JSON.stringify(where)}]`);
  });

  it("compares a char(n) in any case only with its blanks", () => {
    const like = (equals: string) => read({ char: { equals, mode: "insensitive" } }, "Native");
    expect(like("ab  ")).toBe('char iequals "ab  "');
    expect(like("ab")).toBe('[{"char":{"equals":"ab","mode":"insensitive"}}]');
  });

  it("is written as a where with the same meaning", () => {
    const where = { OR: [{ int: { gt: 1 } }, { NOT: { string: { contains: "\\_" } } }] };
    const scalar = modelOf("Scalar");
    expect(toWhere(readWhere(where, scalar, kindsModels), scalar)).toEqual(where);
  });
});

it("a filter of the configuration is rejected with the fix", () => {
  const read = (where: unknown) => readConfiguredFilter(where, modelOf("Author"), kindsModels);
  expect(() => read({ karma: undefined })).toThrow(
    new TypeError("Found undefined for karma: remove it, or add a condition."),
  );
  expect(textOf(read({ karma: 1 }))).toBe("karma equals 1");
});

describe("a filter without rows", () => {
  const write = (name: string) => toWhere(readRowFilter({ OR: [] }, modelOf(name), kindsModels), modelOf(name));

  it("is a condition on the key, or on any field, that no row meets", () => {
    expect(write("Author")).toEqual({ id: { in: [] } });
    expect(write("Posting")).toEqual({ authorId: { in: [] } });
    expect(write("Summary")).toEqual({ email: { in: [] } });
  });
});
