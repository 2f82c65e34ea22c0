import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type Database, makeDatabase } from "../../src/database/make-database.js";
import type { Model } from "../../src/models/model.js";
import { makePostgresAdapter } from "../../src/postgres/make-postgres-adapter.js";
import { chooseEngine } from "../../src/sql/choose-engine.js";
import { toJsonValue } from "../../src/values/json-value.js";
import { PrismaClient } from "../generated/kinds/client/client.js";
import { type Kinds, models, openKinds } from "../kinds.js";

let kinds: Kinds;
const clients: PrismaClient[] = [];
let database: Database;
/** Its responses have at most 20,000 bytes. */
let small: Database;

async function open(maxBytes?: number): Promise<Database> {
  const adapter = makePostgresAdapter({ url: kinds.url });
  const client = new PrismaClient({ adapter });
  clients.push(client);
  const choice = chooseEngine({ client, adapter, models, schema: "public", maxBytes });
  const made = makeDatabase({ client, models, schema: "public", maxBytes, ...choice });
  await made.ping();
  return made;
}

beforeAll(async () => {
  kinds = await openKinds(inject("postgresUrl"));
  await kinds.sql(`INSERT INTO people (id, email_address, password, "updatedAt", "managerId") VALUES
    (1, 'ann@x', 'p', now(), NULL), (2, 'ben@x', 'p', now(), 1), (3, 'cat@x', 'p', now(), 2)`);
  await kinds.sql(`INSERT INTO "Article" (id, title, slug, language, "authorId", "reviewerId")
    SELECT n, n || repeat(' long', 200), n, 'en', CASE WHEN n > 300 THEN 2 ELSE 1 END, CASE WHEN n % 2 = 0 THEN 3 END
    FROM generate_series(1, 310) AS n`);
  await kinds.sql(`INSERT INTO "Tag" SELECT 'tag ' || n FROM generate_series(1, 3) AS n`);
  await kinds.sql(`INSERT INTO "_ArticleToTag" SELECT a.id, t.name FROM "Article" a, "Tag" t WHERE a.id < 4`);
  await kinds.sql(`INSERT INTO "Scalar" (string) SELECT repeat('x', 1000) FROM generate_series(1, 400)`);
  await kinds.sql('ANALYZE "Scalar"');
  [database, small] = [await open(), await open(20_000)];
});
afterAll(async () => {
  for (const client of clients) await client.$disconnect();
  await kinds?.close();
});

const seenOf = (name: string) => ({ model: models.get(name) as Model, models });
const byId = [{ id: "asc" }];

/** The rows of Prisma Client as JSON. */
const asJson = (rows: unknown): unknown => JSON.parse(JSON.stringify(toJsonValue(rows)));
const parsed = (result: object): unknown =>
  "json" in result ? JSON.parse(String(result.json)) : expect.fail("no JSON");

describe("C71 large responses", () => {
  const select = {
    ...{ email: true, id: true },
    manager: { select: { email: true, manager: { select: { id: true } } } },
    articles: {
      select: {
        id: true,
        title: true,
        reviewer: { select: { email: true } },
        tags: { select: { name: true }, orderBy: [{ name: "asc" }] },
      },
      orderBy: byId,
    },
    profile: { select: { bio: true } },
    karma: true,
  };

  it("C71 have the rows of Prisma, with long related lists", async () => {
    const args = { select, orderBy: byId };
    const expected = asJson(await kinds.database.of("Author").findMany(args));
    const result = await database.of("Author").execute({ operation: "findMany", args }, seenOf("Author"));
    expect(parsed(result)).toEqual(expected);
    expect(result).toMatchObject({ found: 3 });
    expect("last" in result && JSON.parse(String(result.last))).toMatchObject({ id: 3, email: "cat@x" });
    for (const id of [1, 2, 3]) {
      const one = { where: { id }, select };
      const row = asJson(await kinds.database.of("Author").findUnique(one));
      expect(
        parsed(await database.of("Author").execute({ operation: "findUnique", args: one }, seenOf("Author"))),
      ).toEqual(row);
    }
  });

  it("C71 have all rows of a long list, and no more than the shown ones", async () => {
    const args = { select: { id: true, string: true }, orderBy: byId };
    const rows = asJson(await kinds.database.of("Scalar").findMany(args)) as unknown[];
    const read = (shown?: number) =>
      database
        .of("Scalar")
        .execute({ operation: "findMany", args, ...(shown === undefined ? {} : { shown }) }, seenOf("Scalar"));
    expect(parsed(await read())).toEqual(rows);
    const part = await read(390);
    expect(parsed(part)).toEqual(rows.slice(0, 390));
    expect(part).toMatchObject({ found: 400 });
  });
});

describe("C71 a response that exceeds the limit", () => {
  const tooLarge = (message: string) => ({
    code: "ResponseTooLarge",
    message: expect.stringContaining(message),
    errors: [{ in: "query", path: "", code: "ResponseTooLarge" }],
  });
  const args = { select: { string: true }, orderBy: byId };

  it("C71 is an error with the number of rows that fit", async () => {
    const list = (take: number) =>
      small.of("Scalar").execute({ operation: "findMany", args: { ...args, take } }, seenOf("Scalar"));
    expect(parsed(await list(19))).toHaveLength(19);
    await expect(list(100)).rejects.toMatchObject(
      tooLarge("The response exceeds 20000 bytes (limits.response). Request fewer rows (limit=19 fits)"),
    );
  });

  it("C71 is an error for one row, and for rows as objects", async () => {
    const { id } = await kinds.database.of("Scalar").create({ data: { string: 'é"'.repeat(20_000) } });
    const one = { where: { id }, select: { string: true } };
    const read = small.of("Scalar").execute({ operation: "findUnique", args: one }, seenOf("Scalar"));
    await expect(read).rejects.toMatchObject(tooLarge("Request fewer rows, or fewer fields"));
    const lists = { where: { id: 1 }, select: { articles: { select: { title: true }, orderBy: byId } } };
    const withLists = small.of("Author").execute({ operation: "findUnique", args: lists }, seenOf("Author"));
    await expect(withLists).rejects.toMatchObject(tooLarge("fewer rows"));
    await expect(small.of("Scalar").findMany(args)).rejects.toMatchObject(tooLarge("fewer rows"));
    expect(await small.of("Author").findUnique({ where: { id: 3 }, select: { email: true } })).toEqual({
      email: "cat@x",
    });
    await kinds.database.of("Scalar").delete({ where: { id } });
  });

  it("C71 does not exist inside a transaction, except for the rows of a bulk write", async () => {
    await small.transaction(async (inside) => {
      expect(await inside.of("Scalar").findMany(args)).toHaveLength(400);
    });
    const data = Array.from({ length: 30 }, () => ({ string: "y".repeat(1000) }));
    const before = await small.of("Scalar").count();
    const create = (rows: typeof data) =>
      small.transaction((inside) => inside.of("Scalar").createMany({ data: rows, select: { string: true } }));
    await expect(create(data)).rejects.toMatchObject({
      code: "ResponseTooLarge",
      errors: [{ in: "body", path: "" }],
    });
    expect(await small.of("Scalar").count()).toBe(before);
    expect(await create(data.slice(0, 5))).toHaveLength(5);
    await kinds.sql(`DELETE FROM "Scalar" WHERE string LIKE 'y%'`);
  });
});

describe("C71 the total of a list", () => {
  const where = { id: { gt: 0 } };
  const page = (take: number, skip: number, mayEstimate: boolean, on = database) =>
    on.of("Scalar").execute(
      {
        operation: "findMany",
        args: { where, select: { id: true }, orderBy: byId, take, skip },
        total: { where },
        mayEstimate,
      },
      seenOf("Scalar"),
    );

  it("C71 is exact, or estimated if that is allowed", async () => {
    expect(await page(10, 0, false)).toMatchObject({ total: 400 });
    expect(await page(10, 0, false)).not.toHaveProperty("isEstimated");
    const estimated = await page(10, 0, true);
    expect(estimated).toMatchObject({ isEstimated: true });
    expect("total" in estimated && estimated.total).toBeGreaterThan(300);
    expect("total" in estimated && estimated.total).toBeLessThan(500);
  });

  it("C71 is exact on the last page, and where the engine has no estimate", async () => {
    const last = await page(10, 395, true);
    expect(last).toMatchObject({ total: 400 });
    expect(last).not.toHaveProperty("isEstimated");
    const byPrisma = await page(10, 0, true, kinds.database);
    expect(byPrisma).toMatchObject({ total: 400 });
    expect(byPrisma).not.toHaveProperty("isEstimated");
    expect(await database.transaction((inside) => page(10, 0, true, inside))).not.toHaveProperty("isEstimated");
  });
});
