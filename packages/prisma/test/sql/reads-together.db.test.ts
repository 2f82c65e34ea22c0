import { afterAll, beforeAll, beforeEach, expect, inject, it } from "vitest";
import { splitExecutor } from "../../../../scripts/test/split-executor.js";
import { foundRows, type Result, type SeenModels } from "../../src/database/executor.js";
import { type Database, makeDatabase } from "../../src/database/make-database.js";
import { prismaExecutor } from "../../src/database/prisma-executor.js";
import { makePostgresAdapter } from "../../src/postgres/make-postgres-adapter.js";
import { type Clause, type UniqueArgs } from "../../src/queries/query-args.js";
import { sqlExecutor } from "../../src/sql/sql-executor.js";
import { PrismaClient } from "../generated/kinds/client/client.js";
import { type Kinds, models, openKinds } from "../kinds.js";

let kinds: Kinds;
let client: PrismaClient;
let database: Database;
/** The number of the next queries that lose their connection. */
let losses = 0;
/** The queries of the database. */
let requested: { readonly sql: string; readonly values: readonly unknown[] }[] = [];
beforeAll(async () => {
  kinds = await openKinds(inject("postgresUrl"));
  const adapter = makePostgresAdapter({ url: kinds.url });
  client = new PrismaClient({ adapter });
  const { link } = adapter;
  const query: typeof link.query = (sql, values) => {
    requested.push({ sql, values });
    if (losses-- > 0) return Promise.reject(Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }));
    return link.query(sql, values);
  };
  const own = { isOpen: () => link.isOpen(), query, decimal: link.decimal };
  const bySql = sqlExecutor({ client, link: own, models, schema: "public" });
  const executor = splitExecutor({ reads: [bySql, prismaExecutor], writes: [prismaExecutor] });
  database = makeDatabase({ client, models, executor });
  await database.ping();
  const people = Array.from({ length: 150 }, (_, index) => ({ email: `${index + 1}@x`, password: "p", karma: index }));
  await database.of("Author").createMany({ data: people });
  await database.of("Author").updateMany({ where: { id: { lt: 20 } }, data: { managerId: 20 } });
  const articles = Array.from({ length: 40 }, (_, index) => ({
    ...{ title: `t${index}`, slug: `s${index}`, language: index % 2 === 0 ? "en" : "fr" },
    ...{ authorId: 1 + (index % 10), stage: "PUBLISHED" },
  }));
  await database.of("Article").createMany({ data: articles });
  const postings = [1, 2, 3].flatMap((authorId) =>
    [1n, 2n, 3n].map((articleId) => ({ authorId, articleId, place: `${authorId} ${articleId}` })),
  );
  await database.of("Posting").createMany({ data: postings });
  await database.of("Tag").createMany({ data: ["a", "A", 'b, "c"', "{}", "null", ""].map((name) => ({ name })) });
});
afterAll(async () => {
  await client?.$disconnect();
  await kinds?.close();
});
beforeEach(() => {
  requested = [];
});

const jsonOf = (result: Result): string => ("json" in result ? String(result.json) : "no JSON");
const read = async (model: string, args: UniqueArgs): Promise<string | null> => {
  const seen = { model: models.get(model) as never, models };
  const result = await database.of(model).execute({ operation: "findUnique", args }, seen);
  return foundRows(result) === 0 ? null : jsonOf(result);
};
const readAll = (model: string, wheres: readonly Clause[], select: Clause) =>
  Promise.all(wheres.map((where) => read(model, { where, select })));
/** The results of the same reads in sequence. */
async function readAlone(model: string, wheres: readonly Clause[], select: Clause) {
  const found: (string | null)[] = [];
  for (const where of wheres) found.push(await read(model, { where, select }));
  return found;
}
const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

it("C71 reads of one tick by key are one statement, and each gets its own row", async () => {
  const wheres = [7, 3, 999, 7, 12].map((id) => ({ id }));
  expect(await readAll("Author", wheres, { id: true, email: true })).toEqual([
    '{"id":7,"email":"7@x"}',
    '{"id":3,"email":"3@x"}',
    null,
    '{"id":7,"email":"7@x"}',
    '{"id":12,"email":"12@x"}',
  ]);
  expect(requested).toHaveLength(1);
  expect(requested[0]?.sql).toContain("unnest($1::int4[])");
  expect(requested[0]?.values).toEqual([[7, 3, 999, 12]]);
});

it("C71 a single read is the statement of one row, and the next tick is another", async () => {
  const select = { id: true };
  expect(await read("Author", { where: { id: 1 }, select })).toBe('{"id":1}');
  expect(await read("Author", { where: { id: 2 }, select })).toBe('{"id":2}');
  expect(requested.map(({ sql }) => sql)).toEqual(
    Array(2).fill('SELECT t0."id" FROM "public"."people" AS t0 WHERE t0."id" = $1 LIMIT 1'),
  );
});

it("C71 keys of every type find the same rows together and alone", async () => {
  const cases: readonly (readonly [string, readonly Clause[], Clause])[] = [
    ["Article", [1n, 2n, 41n, 9007199254740993n, 3].map((id) => ({ id })), { id: true, title: true, language: true }],
    ["Tag", ["a", "A", 'b, "c"', "{}", "null", "", "\\", "é"].map((name) => ({ name })), { name: true }],
    ["Author", ["1@x", "2@x", "x".repeat(200)].map((email) => ({ email })), { id: true, createdAt: true }],
    [
      "Posting",
      [1, 2, 3, 4].flatMap((authorId) =>
        [1n, 3n, 4n].map((articleId) => ({ authorId_articleId: { authorId, articleId } })),
      ),
      { place: true, authorId: true, articleId: true },
    ],
    // A `Char` ignores trailing blanks, so these are read alone.
    ["Article", ["s0", "s1", "s2"].map((slug) => ({ language_slug: { language: "en", slug } })), { id: true }],
  ];
  for (const [model, wheres, select] of cases) {
    const alone = await readAlone(model, wheres, select);
    requested = [];
    expect(await readAll(model, wheres, select)).toEqual(alone);
    expect(requested).toHaveLength(Object.hasOwn(wheres[0] ?? {}, "language_slug") ? wheres.length : 1);
  }
});

it("C71 reads with other rows or fields are other statements", async () => {
  const complete = { id: true, email: true };
  const found = await Promise.all([
    read("Author", { where: { id: 1 }, select: complete }),
    read("Author", { where: { id: 2 }, select: { id: true } }),
    read("Author", { where: { id: 3, AND: [{ karma: { gte: 2 } }] }, select: complete }),
    read("Author", { where: { id: 4, AND: [{ karma: { gte: 99 } }] }, select: complete }),
    read("Author", { where: { id: 5, AND: [{ karma: { gte: 99 } }] }, select: complete }),
    read("Author", { where: { email: "6@x" }, select: complete }),
    read("Author", { where: { id: 7 }, select: complete }),
  ]);
  expect(found.map((json) => json && JSON.parse(json).id)).toEqual([1, 2, 3, null, null, 6, 7]);
  expect(requested).toHaveLength(5);
  // A hidden field removes another name from the response.
  const seenModel = models.get("Author") as never;
  requested = [];
  const hidden = new Map(models);
  const author = models.get("Author");
  const fields = author?.fields.map((field) =>
    field.name === "email" ? { ...field, annotations: { hidden: true } } : field,
  );
  const own = { ...author, fieldsByName: new Map(fields?.map((field) => [field.name, field])) } as never;
  hidden.set("Author", own);
  const one = async (args: UniqueArgs, as: SeenModels) =>
    jsonOf(await database.of("Author").execute({ operation: "findUnique", args }, as));
  const [seen, unseen] = await Promise.all([
    one({ where: { id: 1 }, select: complete }, { model: seenModel, models }),
    one({ where: { id: 2 }, select: complete }, { model: own, models: hidden }),
  ]);
  expect([seen, requested.length]).toEqual(['{"id":1,"email":"1@x"}', 2]);
  expect(unseen).toBe('{"id":2}');
});

it("C71 related rows are read with each of many rows, in small batches for lists", async () => {
  const lists = { select: { title: true }, orderBy: [{ id: "asc" }], take: 3 };
  const select = { id: true, manager: { select: { email: true, manager: { select: { id: true } } } }, articles: lists };
  const wheres = range(1, 25).map((id) => ({ id }));
  const alone = await readAlone("Author", wheres, select);
  requested = [];
  expect(await readAll("Author", wheres, select)).toEqual(alone);
  expect(requested.map(({ values }) => (values.at(-1) as unknown[]).length)).toEqual([10, 10, 5]);
  const { articles: _, ...one } = select;
  requested = [];
  await readAll("Author", wheres, one);
  expect(requested).toHaveLength(1);
});

it("C71 a statement has at most a hundred keys", async () => {
  const found = await readAll(
    "Author",
    range(1, 150).map((id) => ({ id })),
    { id: true },
  );
  expect(found).toEqual(range(1, 150).map((id) => JSON.stringify({ id })));
  expect(requested.map(({ values }) => (values[0] as unknown[]).length)).toEqual([100, 50]);
});

it("C71 a key that the database rejects fails alone", async () => {
  const wheres = ["a", "a\0", "A"].map((name) => ({ name }));
  const found = await Promise.allSettled(wheres.map((where) => read("Tag", { where, select: { name: true } })));
  expect(found.map((one) => (one.status === "fulfilled" ? one.value : one.reason.code))).toEqual([
    '{"name":"a"}',
    "InvalidValue",
    '{"name":"A"}',
  ]);
  const ids = await Promise.allSettled(
    [1, 2 ** 31].map((id) => read("Author", { where: { id }, select: { id: true } })),
  );
  expect(ids[0]).toEqual({ status: "fulfilled", value: '{"id":1}' });
});

it("C71 a lost connection causes a retry for all reads that waited for it", async () => {
  const ids = range(1, 5);
  for (const some of [ids, [1]]) {
    losses = 1;
    requested = [];
    const found = await readAll(
      "Author",
      some.map((id) => ({ id })),
      { id: true },
    );
    expect(found).toEqual(some.map((id) => JSON.stringify({ id })));
    expect(requested.length).toBeGreaterThan(1);
    losses = Number.POSITIVE_INFINITY;
    const rejected = await Promise.allSettled(
      some.map((id) => read("Author", { where: { id }, select: { id: true } })),
    );
    expect(rejected).toMatchObject(some.map(() => ({ reason: { status: 503, code: "DatabaseUnavailable" } })));
    losses = 0;
  }
});
