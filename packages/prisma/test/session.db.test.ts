import { createDatabase } from "@servicekit/dev-database";
import pg from "pg";
import { expect, inject, it } from "vitest";
import { makePostgresAdapter } from "../src/postgres/index.js";

it.each([
  ["", "off"],
  ["-c jit=on", "on"],
  ["-c search_path=public", "off"],
])("C43 a session does not JIT-compile queries unless the URL enables it: options %j", async (options, expected) => {
  const database = await createDatabase(inject("postgresUrl"));
  const url = new URL(database.url);
  if (options !== "") url.searchParams.set("options", options);
  const adapter = await makePostgresAdapter({ url: url.href }).connect();
  const { rows } = await adapter
    .underlyingDriver()
    .query("SELECT current_setting('jit') AS jit, current_setting('TimeZone') AS zone");
  expect(rows).toEqual([{ jit: expected, zone: "UTC" }]);
  await adapter.dispose();
  await database.drop();
});

it("C127 a connection to a server that is not PostgreSQL is rejected with its name, until it is PostgreSQL", async () => {
  const database = await createDatabase(inject("postgresUrl"));
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const url = new URL(database.url);
  // The function of the schema precedes that of PostgreSQL.
  url.searchParams.set("options", "-c search_path=public,pg_catalog");
  const adapter = makePostgresAdapter({ url: url.href });
  const named = "Connection terminated: The server of the database URL is CockroachDB,";
  try {
    const version = "CockroachDB CCL v24.3.1 (x86_64-pc-linux-gnu)";
    await client.query(`CREATE FUNCTION version() RETURNS text LANGUAGE sql AS $$ SELECT '${version}' $$`);
    await expect(adapter.connections.query("SELECT 1")).rejects.toThrow(named);
    // It has none of the functions that the statement uses.
    await client.query(
      `CREATE FUNCTION pg_backend_pid() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE 'unknown'; END $$`,
    );
    await expect(adapter.connections.query("SELECT 1")).rejects.toThrow(named);
    await client.query("DROP FUNCTION public.pg_backend_pid()");
    await client.query("DROP FUNCTION public.version()");
    expect(await adapter.connections.query("SELECT 1 AS one")).toEqual([{ one: 1 }]);
  } finally {
    await adapter.connections.end();
    await client.end();
    await database.drop();
  }
});
