import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { makePostgresAdapter, type PostgresAdapter } from "../src/postgres/index.js";
import { PrismaClient } from "./generated/kinds/client/client.js";
import { type Kinds, openKinds } from "./kinds.js";

let kinds: Kinds;
let client: PrismaClient;
let adapter: PostgresAdapter;
beforeAll(async () => {
  kinds = await openKinds(inject("postgresUrl"));
  adapter = makePostgresAdapter({ url: kinds.url, poolSize: 1 });
  client = new PrismaClient({ adapter });
  await client.$queryRawUnsafe("SELECT 1");
});
afterAll(async () => {
  await client?.$disconnect();
  await kinds?.close();
});

const call = (sql: string, ...values: unknown[]) => adapter.link.query(sql, values);

it("C71 a session retains a limited number of recently used statements", async () => {
  const hot = "SELECT 'hot'";
  for (let index = 0; index < 700; index++) {
    expect(await call(`SELECT ${index}`)).toEqual([[String(index)]]);
    if (index % 100 === 0) expect(await call(hot)).toEqual([["hot"]]);
  }
  // Prisma's queries count too.
  await client.tag.findMany({ where: { name: "a" } });
  const stored = async () => (await call("SELECT statement FROM pg_prepared_statements")).map(([text]) => text);
  const statements = await stored();
  expect(statements.length).toBeLessThanOrEqual(300);
  expect(statements).toContain(hot);
  expect(statements).toContain("SELECT 699");
  expect(statements).not.toContain("SELECT 1");
  expect(statements.filter((text) => text?.includes("Tag"))).toHaveLength(1);
  // A closed one is prepared again.
  expect(await call("SELECT 1")).toEqual([["1"]]);
  expect(await stored()).toContain("SELECT 1");
});

it("C71 parameters arrive as PostgreSQL reads them, and results as texts", async () => {
  const texts = ["", "a,b", '"q"', "back\\slash", "{}", "NULL", " lead", "line\nbreak", "é🎵"];
  expect(await call("SELECT t FROM unnest($1::text[]) AS t", texts)).toEqual(texts.map((text) => [text]));
  expect(await call("SELECT t FROM unnest($1::int[]) AS t", [1, null, -3])).toEqual([["1"], [null], ["-3"]]);
  expect(await call("SELECT $1::text, $2::int, $3::bool, $4::text", "x", 5, true, null)).toEqual([
    ["x", "5", "t", null],
  ]);
  expect(await call("SELECT 1 WHERE $1::int = 2", 1)).toEqual([]);
});

it("C71 a failed statement does not change the session", async () => {
  const codeOf = (requested: Promise<unknown>) => requested.catch(({ cause }) => cause.originalCode);
  expect(await codeOf(call("SELECT 1 / $1::int", 0))).toBe("22012");
  expect(await codeOf(call("SELECT nothing FROM nowhere"))).toBe("42P01");
  expect(await codeOf(call("SELECT $1::int", "x"))).toBe("22P02");
  expect(await call("SELECT 1 / $1::int", 1)).toEqual([["1"]]);
});

it("C71 the connection of a failed statement returns to the pool with its prepared statements", async () => {
  const process = async () => (await call("SELECT pg_backend_pid()"))[0]?.[0];
  const before = await process();
  for (let index = 0; index < 5; index++) {
    const calls = Array.from({ length: 3 }, () => call("SELECT 1 / $1::int", 0).catch(() => "rejected"));
    expect(await Promise.all(calls)).toEqual(["rejected", "rejected", "rejected"]);
  }
  expect(await process()).toBe(before);
  expect(adapter.poolState()).toMatchObject({ used: 0, waiting: 0 });
  // A lost one is not reused.
  await call("SELECT pg_terminate_backend(pg_backend_pid())").catch(() => undefined);
  await expect.poll(() => process().catch(() => before)).not.toBe(before);
  expect(await call("SELECT 1 / $1::int", 1)).toEqual([["1"]]);
});

it("C71 rows are processed as they arrive, and an error in one is reported after all of them", async () => {
  const { link } = adapter;
  const taken: unknown[] = [];
  await link.queryEach?.("SELECT n FROM generate_series(1, $1::int) AS n", [3], ([n]) => taken.push(n));
  expect(taken).toEqual(["1", "2", "3"]);
  const failing = link.queryEach?.("SELECT n FROM generate_series(1, 3) AS n", [], ([n]) => {
    if (n === "2") throw new RangeError("no two");
  });
  await expect(failing).rejects.toThrow("no two");
  expect(await call("SELECT 1")).toEqual([["1"]]);
});
