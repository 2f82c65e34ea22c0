import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { applyMigrations, createDatabase, pushSchema } from "@servicekit/dev-database";
import pg from "pg";
import { afterEach, expect, inject, it } from "vitest";
import { PrismaClient } from "./generated/notes/client/client.js";
import { models } from "./generated/notes/models.js";
import { makeStarter } from "./start.js";

const { init, closeAll, logged } = makeStarter();
afterEach(closeAll);

it("C41 a database without tables is not ready, and the log names them; with them it is", async () => {
  const created = await createDatabase(inject("postgresUrl"));
  try {
    const { url } = await init(
      { database: { models, client: ({ adapter }) => new PrismaClient({ adapter }) } },
      { environment: { NODE_ENV: "test", DATABASE_URL: created.url } },
    );
    const ready = async () => (await fetch(`${url}/api/health/ready`)).status;
    expect(await ready()).toBe(503);
    const reported = logged().filter(({ msg }) => msg === "not ready");
    expect(reported).toEqual([
      expect.objectContaining({
        check: "database",
        err: expect.objectContaining({
          message: expect.stringMatching(/does not have public\.Note: a migration is missing/),
        }),
      }),
    ]);
    await pushSchema(created.url, { directory: path.join(import.meta.dirname, "fixtures/notes") });
    await expect.poll(ready).toBe(200);
  } finally {
    await closeAll();
    await created.drop();
  }
});

it("startup and readiness log the missing migrations, and how to apply them", async () => {
  const created = await createDatabase(inject("postgresUrl"));
  const root = mkdtempSync(path.join(os.tmpdir(), "migrations-"));
  const addMigration = (name: string, sql: string): void => {
    const folder = path.join(root, "prisma", "migrations", name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, "migration.sql"), sql);
  };
  try {
    writeFileSync(path.join(root, "package.json"), "{}");
    addMigration("20260101000000_begin", 'CREATE TABLE "Other" (id INT PRIMARY KEY);');
    writeFileSync(path.join(root, "prisma/migrations/migration_lock.toml"), 'provider = "postgresql"\n');
    await applyMigrations(created.url, path.join(root, "prisma/migrations"));
    addMigration("20260102000000_notes", 'CREATE TABLE "Note" (id SERIAL PRIMARY KEY, text TEXT NOT NULL);');
    addMigration("20260103000000_more", 'CREATE TABLE "More" (id INT PRIMARY KEY);');
    const { url } = await init(
      { database: { models, client: ({ adapter }) => new PrismaClient({ adapter }) } },
      { directory: root, environment: { NODE_ENV: "test", DATABASE_URL: created.url } },
    );
    const named =
      /does not have public\.Note: 2 migrations are pending: 20260102000000_notes, 20260103000000_more\. .*`npx service migrate deploy`.*`service dev`/;
    await expect.poll(() => logged().map(({ msg }) => msg)).toContainEqual(expect.stringMatching(named));
    expect((await fetch(`${url}/api/health/ready`)).status).toBe(503);
    expect(logged().find(({ msg }) => msg === "not ready")?.err).toMatchObject({
      message: expect.stringMatching(named),
    });
    await applyMigrations(created.url, path.join(root, "prisma/migrations"));
    await expect.poll(async () => (await fetch(`${url}/api/health/ready`)).status).toBe(200);
  } finally {
    await closeAll();
    await created.drop();
    rmSync(root, { recursive: true });
  }
});

it("C127 a server that is not PostgreSQL is not ready, and the log names it", async () => {
  const created = await createDatabase(inject("postgresUrl"));
  const client = new pg.Client({ connectionString: created.url });
  await client.connect();
  try {
    const version = "PostgreSQL 11.2-YB-2.20.1.0-b0 on x86_64-pc-linux-gnu";
    await client.query(`CREATE FUNCTION version() RETURNS text LANGUAGE sql AS $$ SELECT '${version}' $$`);
    const address = new URL(created.url);
    // The function of the schema precedes that of PostgreSQL.
    address.searchParams.set("options", "-c search_path=public,pg_catalog");
    const { url } = await init(
      { database: { models, client: ({ adapter }) => new PrismaClient({ adapter }) } },
      { environment: { NODE_ENV: "test", DATABASE_URL: address.href } },
    );
    const named =
      "The server of the database URL is YugabyteDB, which uses the protocol of PostgreSQL and is not supported. Use PostgreSQL.";
    await expect.poll(() => logged().map(({ hint }) => hint)).toContain(named);
    const statuses = ["health/ready", "notes"].map(async (at) => (await fetch(`${url}/api/${at}`)).status);
    expect(await Promise.all(statuses)).toEqual([503, 503]);
  } finally {
    await closeAll();
    await client.end();
    await created.drop();
  }
});
