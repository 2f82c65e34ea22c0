import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { prismaExecutor } from "../../src/database/prisma-executor.js";
import type { Model } from "../../src/models/model.js";
import { makePostgresAdapter } from "../../src/postgres/make-postgres-adapter.js";
import type { Clause, ReadArgs } from "../../src/queries/query-args.js";
import { sqlExecutor } from "../../src/sql/sql-executor.js";
import { PrismaClient } from "../generated/kinds/client/client.js";
import { type Kinds, models, openKinds } from "../kinds.js";

/** Values of a `Json` field, whose conditions on a path are compared. */
const documents: readonly object[] = [
  { a: { b: "x" } },
  { a: { b: 1 } },
  { a: { b: 1.5 } },
  { a: { b: true } },
  { a: { b: null } },
  { a: { b: '"\\é' } },
  { a: {} },
  { a: ["x", 1] },
  ["x"],
];

const moment = new Date("2024-02-29T10:00:00.120Z");
const uuid = "6f2c1f0e-6a9e-4a52-9a0e-0d1e4b3f2a11";

let kinds: Kinds;
let client: PrismaClient;
let link: Parameters<typeof sqlExecutor>[0]["link"];

beforeAll(async () => {
  kinds = await openKinds(inject("postgresUrl"));
  const adapter = makePostgresAdapter({ url: kinds.url });
  ({ link } = adapter);
  client = new PrismaClient({ adapter });
  const people = [
    { id: 1, email: "ann@example.com", inbox: "b", karma: 2, managerId: null },
    { id: 2, email: "Ben@example.com", inbox: null, karma: 1, managerId: 1 },
    { id: 3, email: "cat@example.com", inbox: "a", karma: 1, managerId: 1 },
    { id: 4, email: "dan_10%@example.com", inbox: null, karma: 3, managerId: 2 },
  ];
  for (const person of people) await client.author.create({ data: { ...person, password: "x" } });
  await client.profile.create({ data: { bio: "Writes.", authorId: 2 } });
  const articles = [
    { title: "One", slug: "one", stage: "DRAFT", authorId: 1, reviewerId: 2 },
    { title: "Two", slug: "two", stage: "IN_REVIEW", authorId: 1, reviewerId: null },
    { title: "Three", slug: "three", stage: "DRAFT", authorId: 3, reviewerId: 4 },
  ] as const;
  for (const article of articles) await client.article.create({ data: { ...article, language: "en" } });
  for (const json of documents) await client.scalar.create({ data: { json } });
  await client.scalar.create({ data: {} });
  await client.native.create({ data: { json: { a: ["x"] }, jsonB: { a: ["x"] } } });
  await client.scalar.create({
    data: {
      ...{ string: "a", boolean: true, int: 7, bigInt: 9007199254740993n, float: 0.5, decimal: "1.50" },
      ...{ dateTime: moment, bytes: new Uint8Array([0, 255]), stage: "IN_REVIEW" },
    },
  });
  await client.tag.create({ data: { name: "red", articles: { connect: [{ id: 1n }, { id: 3n }] } } });
  await client.tag.create({ data: { name: "blue" } });
  for (const strings of [[], ["a"], ["a", "b"]])
    await client.collection.create({
      data: {
        ...{ strings, booleans: [true], ints: [1, 2], bigInts: [5n], floats: [0.5], decimals: ["1.50"] },
        ...{ dateTimes: [moment], bytes: [new Uint8Array([1])], stages: ["IN_REVIEW"], uuids: [uuid] },
      },
    });
  await kinds.sql('INSERT INTO "Collection" (strings) VALUES (NULL)');
  await client.posting.create({
    data: { articleId: 1n, authorId: 2, place: "board", notes: { create: { text: "n" } } },
  });
});
afterAll(async () => {
  await client?.$disconnect();
  await kinds?.close();
});

const modelOf = (name: string): Model => models.get(name) as Model;
const idOf = (name: string): Clause => ({ select: { [modelOf(name).key?.fields[0]?.name ?? "id"]: true } });

/** The rows of a list by both engines. SQL must express the query. */
async function byBoth(name: string, args: ReadArgs) {
  const query = { operation: "findMany", args: { ...idOf(name), ...args } } as const;
  const bySql = sqlExecutor({ client, link, models, schema: "public" })(client).prepare(modelOf(name), query);
  const byPrisma = prismaExecutor(client).prepare(modelOf(name), query);
  expect(bySql, "SQL expresses the query").toBeDefined();
  return { sql: await bySql?.(), prisma: await byPrisma?.() };
}

describe("C71 an order by SQL", () => {
  it.each<readonly [string, string, readonly Clause[]]>([
    ["a field", "Author", [{ karma: "asc" }, { id: "desc" }]],
    ["NULL first", "Author", [{ inbox: { sort: "asc", nulls: "first" } }, { id: "asc" }]],
    ["NULL last, descending", "Author", [{ inbox: { sort: "desc", nulls: "last" } }, { id: "asc" }]],
    ["an object without nulls", "Author", [{ inbox: { sort: "desc" } }, { id: "desc" }]],
    ["a related field", "Author", [{ manager: { email: "desc" } }, { id: "asc" }]],
    ["a field of two relations", "Article", [{ reviewer: { manager: { karma: "asc" } } }, { id: "asc" }]],
    ["a field of the other side", "Author", [{ profile: { bio: "asc" } }, { id: "desc" }]],
    ["an enum, in the order of the schema", "Article", [{ stage: "desc" }, { id: "asc" }]],
  ])("C71 by %s is that of Prisma", async (_, name, orderBy) => {
    const { sql, prisma } = await byBoth(name, { orderBy });
    expect(sql).toEqual(prisma);
  });

  it.each<readonly [string, unknown]>([
    ["a count of related rows", { articles: { _count: "asc" } }],
    ["an unknown field", { nothing: "asc" }],
    ["another direction", { karma: "up" }],
    ["no direction", { karma: undefined }],
    ["null as the direction", { karma: null }],
    ["another place of NULL", { inbox: { sort: "asc", nulls: "middle" } }],
    ["another word", { inbox: { sort: "asc", more: true } }],
    ["no order at all", []],
  ])("C71 by %s is left to Prisma", (_, orderBy) => {
    const query = { operation: "findMany", args: { ...idOf("Author"), orderBy: orderBy as Clause } } as const;
    expect(
      sqlExecutor({ client, link, models, schema: "public" })(client).prepare(modelOf("Author"), query),
    ).toBeUndefined();
  });
});

describe("C71 a filter by SQL", () => {
  const byId = [{ id: "asc" }];
  it.each<readonly [string, string, Clause]>([
    ["NULL", "Author", { inbox: null }],
    ["not NULL", "Author", { inbox: { not: null } }],
    ["not a value, without rows with NULL", "Author", { inbox: { not: "a" } }],
    ["a list with many values", "Author", { karma: { in: [1, 2, 9] } }],
    ["not in a list", "Author", { karma: { notIn: [1, 2] } }],
    ["a range", "Author", { karma: { gt: 1, lte: 2 } }],
    ["a text with escaped characters of patterns", "Author", { email: { contains: "\\_10\\%" } }],
    ["a text in any case", "Author", { email: { startsWith: "bEN", mode: "insensitive" } }],
    ["a text in the given case", "Author", { email: { startsWith: "bEN" } }],
    ["an end", "Author", { email: { endsWith: "@example.com" } }],
    ["an enum with another name in the database", "Article", { stage: "IN_REVIEW" }],
    ["a to-one relation", "Article", { author: { is: { karma: 2 } } }],
    ["not a to-one relation, including none", "Article", { reviewer: { isNot: { karma: 1 } } }],
    ["no related row by its own key", "Author", { manager: { is: null } }],
    ["some related row by its own key", "Author", { manager: { isNot: null } }],
    ["no related row by the key of the other side", "Author", { profile: { is: null } }],
    ["some related row by the key of the other side", "Author", { profile: { isNot: null } }],
    ["some of many", "Author", { articles: { some: { stage: "DRAFT" } } }],
    ["every one of many", "Author", { articles: { every: { stage: "DRAFT" } } }],
    ["none of many", "Author", { articles: { none: {} } }],
    ["some of many-to-many", "Article", { tags: { some: { name: "red" } } }],
    ["none of many-to-many", "Article", { tags: { none: { name: "red" } } }],
    ["relations of relations", "Author", { articles: { some: { reviewer: { is: { manager: { is: { id: 1 } } } } } } }],
    ["alternatives", "Author", { OR: [{ karma: 3 }, { AND: [{ karma: 1 }, { NOT: { inbox: null } }] }] }],
    ["two alternatives that are both excluded", "Author", { NOT: [{ karma: 1 }, { karma: 2 }] }],
  ])("C71 with %s finds the rows of Prisma", async (_, name, where) => {
    const { sql, prisma } = await byBoth(name, { where, orderBy: byId });
    expect(sql).toEqual(prisma);
  });

  const decimal = { toFixed: () => "1.5", s: 1, e: 0, d: [1, 5000000], toJSON: () => "1.5" };

  it.each<readonly [string, Clause]>([
    ["a boolean", { boolean: true }],
    ["not a boolean", { boolean: { not: true } }],
    ["a big integer", { bigInt: 9007199254740993n }],
    ["an integer for a big one", { bigInt: { gt: 5 } }],
    ["a floating-point number", { float: { gte: 0.5, lt: 0.6 } }],
    ["a decimal as text", { decimal: "1.5" }],
    ["a decimal as a number", { decimal: 1.5 }],
    ["a decimal as an object", { decimal: Object.assign(Object.create({ toFixed: decimal.toFixed }), decimal) }],
    ["decimals", { decimal: { in: ["1.5", 2] } }],
    ["a date-time", { dateTime: moment }],
    ["a range of date-times", { dateTime: { gt: new Date(0), lte: moment } }],
    ["bytes", { bytes: new Uint8Array([0, 255]) }],
    ["other bytes", { bytes: { not: new Uint8Array([0]) } }],
    ["enums", { stage: { in: ["IN_REVIEW", "DRAFT"] } }],
    ["no values of a list", { int: { in: [] } }],
    ["values but none of an empty list", { int: { notIn: [] } }],
  ])("C71 with %s finds the rows of Prisma", async (_, where) => {
    const { sql, prisma } = await byBoth("Scalar", { where, orderBy: byId });
    expect(sql).toEqual(prisma);
  });

  it.each<readonly [string, string, Clause]>([
    ["a text for a number", "Scalar", { int: "7" }],
    ["a number with a fraction for an integer", "Scalar", { int: 7.5 }],
    ["a number that is not exact for a big integer", "Scalar", { bigInt: 2 ** 53 }],
    ["a number that is not finite", "Scalar", { decimal: Number.NaN }],
    ["another text for a decimal", "Scalar", { decimal: "1,5" }],
    ["a text for a boolean", "Scalar", { boolean: "true" }],
    ["a text for a date-time", "Scalar", { dateTime: "2024-02-29" }],
    ["an invalid date", "Scalar", { dateTime: new Date(Number.NaN) }],
    ["a text for bytes", "Scalar", { bytes: "AP8=" }],
    ["an unknown value of an enum", "Scalar", { stage: "in review" }],
    ["a text that is no UUID", "Native", { uuid: "x" }],
  ])("C71 with %s is left to Prisma", (_, name, where) => {
    const query = { operation: "findMany", args: { ...idOf(name), where } } as const;
    const executor = sqlExecutor({ client, link, models, schema: "public" })(client);
    expect(executor.prepare(modelOf(name), query)).toBeUndefined();
  });

  it.each<readonly [string, Clause]>([
    ["a value", { strings: { has: "a" } }],
    ["some of its values", { strings: { hasSome: ["b", "c"] } }],
    ["no value to have some of", { strings: { hasSome: [] } }],
    ["all of its values", { strings: { hasEvery: ["a", "b"] } }],
    ["no value to have all of", { strings: { hasEvery: [] } }],
    ["an equal list", { strings: { equals: ["a", "b"] } }],
    ["values", { strings: { isEmpty: false } }],
    ["no values, or NULL", { OR: [{ strings: { isEmpty: true } }, { strings: { equals: null } }] }],
    ["not a value", { NOT: { strings: { has: "a" } } }],
    ["booleans", { booleans: { has: true } }],
    ["integers", { ints: { hasEvery: [1, 2] } }],
    ["big integers", { bigInts: { has: 5n } }],
    ["floating-point numbers", { floats: { has: 0.5 } }],
    ["decimals", { decimals: { has: "1.5" } }],
    ["date-times", { dateTimes: { has: moment } }],
    ["enums with another name in the database", { stages: { has: "IN_REVIEW" } }],
    ["UUIDs", { uuids: { has: uuid } }],
  ])("C71 with a list that has %s finds the rows of Prisma", async (_, where) => {
    const { sql, prisma } = await byBoth("Collection", { where, orderBy: byId });
    expect(sql).toEqual(prisma);
  });

  it("C71 through a relation with two columns finds the rows of Prisma", async () => {
    const { sql, prisma } = await byBoth("Note", { where: { posting: { is: { place: "board" } } }, orderBy: byId });
    expect(sql).toMatchObject({ rows: [{ id: 1 }] });
    expect(sql).toEqual(prisma);
  });

  it.each<readonly [string, unknown]>([
    ["a text", "x"],
    ["a text that JSON escapes", '"\\é'],
    ["an integer", 1],
    ["another number", 1.5],
    ["a boolean", true],
    ["a value that no row has", "y"],
  ])("C71 C18 with %s at a path of JSON finds the rows of Prisma", async (_, value) => {
    for (const path of [["a", "b"], ["a", "0"], ["0"], ["a", "1"]]) {
      for (const json of [
        { path, equals: value },
        { path, not: value },
      ]) {
        for (const where of [
          { json },
          { NOT: { json } },
          { OR: [{ json }, { json: { path: ["a", "b"], equals: 1 } }] },
        ]) {
          const { sql, prisma } = await byBoth("Scalar", { where, orderBy: byId });
          expect([where, sql]).toEqual([where, prisma]);
        }
      }
    }
    const { sql, prisma } = await byBoth("Native", {
      where: { json: { path: ["a", "0"], equals: "x" }, jsonB: { path: ["a", "0"], equals: "x" } },
      orderBy: byId,
    });
    expect(sql).toMatchObject({ rows: [{ id: expect.anything() }] });
    expect(sql).toEqual(prisma);
  });

  it.each<readonly [string, string, Clause]>([
    ["another operator at a path of JSON", "Scalar", { json: { path: ["a", "b"], string_contains: "x" } }],
    ["an object at a path of JSON", "Scalar", { json: { path: ["a"], equals: { b: 1 } } }],
    ["an unknown field", "Author", { nothing: 1 }],
    ["a value of another type", "Author", { karma: "1" }],
    ["a text with characters of patterns", "Author", { email: { contains: "_10%" } }],
  ])("C71 with %s is left to Prisma", (_, name, where) => {
    const query = { operation: "findMany", args: { ...idOf(name), where, orderBy: byId } } as const;
    expect(
      sqlExecutor({ client, link, models, schema: "public" })(client).prepare(modelOf(name), query),
    ).toBeUndefined();
  });
});
