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

const ask = (sql: string, ...values: unknown[]) => adapter.link.query(sql, values);

it("C71 a session keeps the statements that were used last, and no more than so many", async () => {
  const hot = "SELECT 'hot'";
  for (let index = 0; index < 700; index++) {
    expect(await ask(`SELECT ${index}`)).toEqual([[String(index)]]);
    if (index % 100 === 0) expect(await ask(hot)).toEqual([["hot"]]);
  }
  // What Prisma asks counts too.
  await client.tag.findMany({ where: { name: "a" } });
  const kept = async () => (await ask("SELECT statement FROM pg_prepared_statements")).map(([text]) => text);
  const statements = await kept();
  expect(statements.length).toBeLessThanOrEqual(300);
  expect(statements).toContain(hot);
  expect(statements).toContain("SELECT 699");
  expect(statements).not.toContain("SELECT 1");
  expect(statements.filter((text) => text?.includes("Tag"))).toHaveLength(1);
  // One that was closed is prepared again.
  expect(await ask("SELECT 1")).toEqual([["1"]]);
  expect(await kept()).toContain("SELECT 1");
});

it("C71 a parameter comes as PostgreSQL reads it, and an answer as texts", async () => {
  const texts = ["", "a,b", '"q"', "back\\slash", "{}", "NULL", " lead", "line\nbreak", "é🎵"];
  expect(await ask("SELECT t FROM unnest($1::text[]) AS t", texts)).toEqual(texts.map((text) => [text]));
  expect(await ask("SELECT t FROM unnest($1::int[]) AS t", [1, null, -3])).toEqual([["1"], [null], ["-3"]]);
  expect(await ask("SELECT $1::text, $2::int, $3::bool, $4::text", "x", 5, true, null)).toEqual([
    ["x", "5", "t", null],
  ]);
  expect(await ask("SELECT 1 WHERE $1::int = 2", 1)).toEqual([]);
});

it("C71 a statement that fails leaves the session as it was", async () => {
  const codeOf = (asked: Promise<unknown>) => asked.catch(({ cause }) => cause.originalCode);
  expect(await codeOf(ask("SELECT 1 / $1::int", 0))).toBe("22012");
  expect(await codeOf(ask("SELECT nothing FROM nowhere"))).toBe("42P01");
  expect(await codeOf(ask("SELECT $1::int", "x"))).toBe("22P02");
  expect(await ask("SELECT 1 / $1::int", 1)).toEqual([["1"]]);
});

it("C71 a refused statement leaves its connection in the pool, with all that it has prepared", async () => {
  const process = async () => (await ask("SELECT pg_backend_pid()"))[0]?.[0];
  const before = await process();
  for (let index = 0; index < 5; index++) {
    const asks = Array.from({ length: 3 }, () => ask("SELECT 1 / $1::int", 0).catch(() => "refused"));
    expect(await Promise.all(asks)).toEqual(["refused", "refused", "refused"]);
  }
  expect(await process()).toBe(before);
  expect(adapter.poolState()).toMatchObject({ used: 0, waiting: 0 });
  // One that is lost is not given to anyone again.
  await ask("SELECT pg_terminate_backend(pg_backend_pid())").catch(() => undefined);
  await expect.poll(() => process().catch(() => before)).not.toBe(before);
  expect(await ask("SELECT 1 / $1::int", 1)).toEqual([["1"]]);
});

it("C71 rows are taken as they come in, and what fails in one is told behind them all", async () => {
  const { link } = adapter;
  const taken: unknown[] = [];
  await link.queryEach?.("SELECT n FROM generate_series(1, $1::int) AS n", [3], ([n]) => taken.push(n));
  expect(taken).toEqual(["1", "2", "3"]);
  const failing = link.queryEach?.("SELECT n FROM generate_series(1, 3) AS n", [], ([n]) => {
    if (n === "2") throw new RangeError("no two");
  });
  await expect(failing).rejects.toThrow("no two");
  expect(await ask("SELECT 1")).toEqual([["1"]]);
});
