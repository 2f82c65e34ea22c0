import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { type Database, makeDatabase } from "../../src/database/make-database.js";
import { makePostgresAdapter, type PostgresSettings } from "../../src/postgres/make-postgres-adapter.js";
import { chooseEngine } from "../../src/sql/choose-engine.js";
import { PrismaClient } from "../generated/kinds/client/client.js";
import { type Kinds, models, openKinds } from "../kinds.js";

let kinds: Kinds;
const clients: PrismaClient[] = [];
beforeAll(async () => {
  kinds = await openKinds(inject("postgresUrl"));
  await kinds.database.of("Tag").createMany({ data: ["a", "b", "c"].map((name) => ({ name })) });
});
afterAll(async () => {
  for (const client of clients) await client.$disconnect();
  await kinds.close();
});

/** A database with reads by SQL, after its first query, with which Prisma connects. */
async function open(settings: Partial<PostgresSettings> = {}): Promise<{ database: Database; client: PrismaClient }> {
  const adapter = makePostgresAdapter({ url: kinds.url, ...settings });
  const client = new PrismaClient({ adapter });
  clients.push(client);
  const { executor, engines } = chooseEngine({ client, adapter, models, schema: "public" });
  expect(engines.get("Tag")).toEqual({ engine: "sql", fieldsByPrisma: [] });
  const database = makeDatabase({ client, models, executor });
  await database.ping();
  return { database, client };
}

const names = { select: { name: true }, orderBy: [{ name: "asc" }] } as const;
const tag = models.get("Tag") as NonNullable<ReturnType<typeof models.get>>;
const seen = { model: tag, models };

it("C71 a list and its total are one statement, shared by all pages", async () => {
  const { database, client } = await open({ poolSize: 1 });
  const prepared = async () =>
    (await client.$queryRawUnsafe<{ statement: string }[]>("SELECT statement FROM pg_prepared_statements")).filter(
      ({ statement }) => /FROM "public"."Tag"/.test(statement),
    ).length;
  const all = {};
  const read = (take: number, skip: number) =>
    database
      .of("Tag")
      .execute({ operation: "findMany", args: { where: all, ...names, take, skip }, total: { where: all } }, seen);
  expect(await read(2, 0)).toEqual({
    ...{ json: '[{"name":"a"},{"name":"b"}]', found: 2, last: '{"name":"b"}' },
    total: 3,
  });
  for (const [take, skip] of [
    [1, 0],
    [3, 0],
    [5, 0],
  ] as const)
    expect((await read(take, skip))?.total).toBe(3);
  expect(await prepared()).toBe(1);
  expect([(await read(2, 1))?.total, (await read(2, 2))?.total, (await read(2, 9))?.total]).toEqual([3, 3, 3]);
  // One for each number of parameters, and the count that an empty page needs.
  expect(await prepared()).toBe(3);
});

it("C71 a count may be limited", async () => {
  const { database } = await open();
  const count = (take?: number, skip?: number, where = {}) =>
    database.of("Tag").count({ where, ...(take !== undefined && { take }), ...(skip !== undefined && { skip }) });
  expect([await count(), await count(2), await count(9), await count(undefined, 1), await count(2, 2)]).toEqual([
    3, 2, 3, 2, 1,
  ]);
  expect(await count(1, 0, { name: { in: ["b", "c"] } })).toBe(1);
});

it("C71 a statement that takes too long is 504", async () => {
  const { database } = await open({ timeouts: { statementMs: 100 } });
  const unlock = await kinds.lockTable("Tag");
  const timeout = { status: 504, code: "DatabaseTimeout" };
  await expect(database.of("Tag").findMany({ ...names })).rejects.toMatchObject(timeout);
  await expect(database.of("Tag").execute({ operation: "findMany", args: { ...names } }, seen)).rejects.toMatchObject(
    timeout,
  );
  await unlock();
});

it("C71 a pool without a free connection is 503", async () => {
  const { database } = await open({ poolSize: 1, timeouts: { poolWaitMs: 200 } });
  await database.transaction(async () => {
    const read = database.of("Tag").findMany({ ...names });
    await expect(read).rejects.toMatchObject({ status: 503, code: "DatabaseUnavailable" });
  });
  await expect(database.of("Tag").findMany({ ...names })).resolves.toHaveLength(3);
});

it("C71 a read is repeated if its connection is lost, or its tables have changed", async () => {
  const { database } = await open({ poolSize: 1 });
  await database.of("Tag").findMany({ ...names });
  await kinds
    .sql(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
    )
    .catch(() => undefined);
  await expect(database.of("Tag").findMany({ ...names })).resolves.toHaveLength(3);
  await kinds.sql(`ALTER TABLE "Tag" ALTER COLUMN name TYPE varchar(90)`);
  await expect(database.of("Tag").findMany({ ...names })).resolves.toHaveLength(3);
  const args = { where: { name: "a" }, select: { name: true } };
  await expect(database.of("Tag").execute({ operation: "findUnique", args }, seen)).resolves.toEqual({
    json: '{"name":"a"}',
    found: 1,
  });
});

it("C71 a transaction reads its own writes", async () => {
  const { database } = await open();
  await database.transaction(async (inner) => {
    await inner.of("Tag").create({ data: { name: "new" }, select: { name: true } });
    expect(await inner.of("Tag").findUnique({ where: { name: "new" }, select: { name: true } })).toEqual({
      name: "new",
    });
    await inner.of("Tag").delete({ where: { name: "new" } });
  });
});
