import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { makePostgresAdapter } from "../src/postgres/index.js";
import { PrismaClient } from "./generated/kinds/client/client.js";
import { type Kinds, openKinds } from "./kinds.js";

let kinds: Kinds;
beforeAll(async () => {
  kinds = await openKinds(inject("postgresUrl"));
});
afterAll(() => kinds.close());

it("makes the pool before Prisma's first query, which uses the same pool", async () => {
  const adapter = makePostgresAdapter({ url: kinds.url, poolSize: 1 });
  const client = new PrismaClient({ adapter });
  expect(adapter.link.isOpen()).toBe(false);
  await adapter.open();
  await adapter.open();
  const pid = "SELECT pg_backend_pid()::text AS pid";
  const [[own]] = (await adapter.link.query(pid, [])) as [[string]];
  expect(await client.$queryRawUnsafe(pid)).toEqual([{ pid: own }]);
  await client.$disconnect();
  await adapter.connections.end();
  expect(adapter.link.isOpen()).toBe(false);
});

it("closes a pool that Prisma has not used, and makes a new one for a later query", async () => {
  const adapter = makePostgresAdapter({ url: kinds.url });
  const client = new PrismaClient({ adapter });
  await adapter.open();
  await adapter.link.query("SELECT '1'", []);
  await Promise.all([client.$disconnect(), adapter.connections.end()]);
  expect(adapter.link.isOpen()).toBe(false);
  await expect(adapter.link.query("SELECT '1'", [])).rejects.toThrow();
  expect(await client.$queryRawUnsafe("SELECT '1' AS one")).toEqual([{ one: "1" }]);
  await client.$disconnect();
});
