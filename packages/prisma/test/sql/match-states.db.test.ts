import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { makePostgresAdapter } from "../../src/postgres/index.js";
import type { Clause, Row } from "../../src/queries/query-args.js";
import { type MatchStates, makeStateMatcher } from "../../src/sql/match-states.js";
import { PrismaClient } from "../generated/kinds/client/client.js";
import { type Kinds, models, openKinds } from "../kinds.js";

let kinds: Kinds;
let client: PrismaClient;
let matchStates: MatchStates;
let queries = 0;
let manager: number;
let states: readonly Row[];
const author = models.get("Author");
if (author === undefined) throw new Error("The schema has the model Author.");

beforeAll(async () => {
  kinds = await openKinds(inject("postgresUrl"));
  client = new PrismaClient({ adapter: makePostgresAdapter({ url: kinds.url }) });
  const counting = {
    $queryRawUnsafe: (sql: string, ...values: unknown[]) => {
      queries++;
      return client.$queryRawUnsafe(sql, ...values);
    },
  };
  matchStates = makeStateMatcher({ client: counting as never, models });
  const made = await client.author.create({ data: { email: "ada@example.com", password: "x", karma: 9 } });
  manager = made.id;
  await client.author.create({ data: { email: "bob@example.com", password: "x", karma: 3, managerId: manager } });
  states = [
    { id: manager, email: "ada@example.com", karma: 9, managerId: null },
    { id: manager, email: "ADA@example.com", karma: 1, managerId: manager },
    { id: 999, email: "eve@example.com", karma: 4, managerId: manager },
    { id: 998, email: "bob", karma: 5, managerId: 999 },
  ];
});
afterAll(async () => {
  await client?.$disconnect();
  await kinds?.close();
});
beforeEach(() => {
  queries = 0;
});

const filters: readonly Clause[] = [
  { karma: { gte: 5 } },
  { karma: { lt: 5 }, email: { endsWith: "example.com" } },
  { email: { contains: "ada", mode: "insensitive" } },
  { OR: [{ managerId: null }, { id: { in: [998] } }] },
  { NOT: { managerId: 999 } },
  // Related rows: the joined table is the same for both.
  { manager: { is: { karma: { gt: 3 } } } },
  { manager: { is: { karma: { lt: 3 } } } },
  { reports: { some: { karma: 3 } } },
  { reports: { none: {} } },
];

const each = (wheres: readonly Clause[], of = states) =>
  matchStates.each(
    author,
    wheres.map((where) => ({ states: of, where })),
  );
const eachAlone = async (wheres: readonly Clause[], of = states) => {
  const found: (readonly boolean[])[] = [];
  for (const where of wheres) found.push(await matchStates(author, of, where));
  return found;
};

describe("C111 several filters of recorded states", () => {
  it("C111 match in one query as each of them does alone", async () => {
    const together = await each(filters);
    expect(queries).toBe(1);
    expect(together).toEqual(await eachAlone(filters));
    expect(together[0]).toEqual([true, false, false, true]);
    expect(together[7]).toEqual([true, true, false, false]);
  });

  it("C111 match the states that each of them is compared with", async () => {
    const [one, other] = [states.slice(0, 2), states.slice(1)];
    const where = { karma: { gte: 4 } };
    const found = await matchStates.each(author, [
      { states: one, where },
      { states: other, where },
      { states: [], where },
    ]);
    expect(found).toEqual([[true, false], [false, true, true], []]);
    expect(queries).toBe(1);
  });

  it("C111 do not match a state that lacks one of their fields", async () => {
    const of = [{ id: 1, karma: 5 }, { id: 2, email: "ada" }, ...states];
    const wheres = [{ karma: { gte: 5 } }, { email: "ada" }, { managerId: null }];
    const found = await each(wheres, of);
    expect(found.map(([first, second]) => [first, second])).toEqual([
      [true, false],
      [false, true],
      [false, false],
    ]);
    expect(found).toEqual(await eachAlone(wheres, of));
  });

  it.each<[string, Clause, Row]>([
    ["that SQL cannot express", { friends: { some: {} } }, {}],
    ["of a state that its table can no longer contain", { email: { contains: "a" } }, { email: "a".repeat(81) }],
  ])("C111 match as each of them does alone beside one %s", async (_, where, changed) => {
    const of = [...states, { ...states[0], ...changed }];
    const found = await each([...filters, where], of);
    expect(found).toEqual(await eachAlone([...filters, where], of));
    expect(found[0]).toEqual([true, false, false, true, true]);
    expect(found.at(-1)?.at(-1)).toBe(false);
  });
});

describe("C111 filters that states support", () => {
  const supports = (name: string, where: Clause) => matchStates.supports(models.get(name) ?? expect.fail(name), where);

  it("C111 are those of columns that a state contains exactly", () => {
    expect(supports("Author", { karma: 1 })).toBe(true);
    expect(supports("Author", { manager: { is: null } })).toBe(true);
    expect(supports("Scalar", { json: { path: ["a"], equals: 1 } })).toBe(true);
    expect(supports("Scalar", { json: { equals: 1 } })).toBe(false);
    expect(supports("Native", { decimal: "1.5" })).toBe(true);
    expect(supports("Native", { money: "1.5" })).toBe(false);
    expect(supports("Collection", { strings: { has: "a" } })).toBe(true);
    expect(supports("Collection", { strings: { equals: null } })).toBe(false);
    expect(supports("Author", { articles: { some: { postings: { some: { place: "x" } } } } })).toBe(true);
    expect(supports("Author", { karma: { other: 1 } })).toBe(false);
    expect(supports("Summary", { email: "a" })).toBe(false);
  });

  it("C111 match states of JSON values and lists", async () => {
    const matched = (name: string, found: readonly Row[], where: Clause) =>
      matchStates(models.get(name) ?? expect.fail(name), found, where);
    const scalars = [{ id: 1, json: { a: 1 } }, { id: 2, json: { a: 2 } }, { id: 3, json: null }, { id: 4 }];
    expect(await matched("Scalar", scalars, { json: { path: ["a"], equals: 1 } })).toEqual([true, false, false, false]);
    const lists = [
      { id: 1, strings: ["a"] },
      { id: 2, strings: [] },
    ];
    expect(await matched("Collection", lists, { strings: { has: "a" } })).toEqual([true, false]);
    expect(await matched("Scalar", [], { int: 1 })).toEqual([]);
    expect(await matched("Summary", [{ email: "a" }], { email: "a" })).toEqual([false]);
  });
});
