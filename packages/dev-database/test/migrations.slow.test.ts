import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { withClient } from "../src/databases/with-client.js";
import {
  applyMigrations,
  type CreatedDatabase,
  createDatabase,
  createMigration,
  migrationStatus,
  pushSchema,
  resetDatabase,
} from "../src/index.js";
import { createMigrationPool } from "../src/migrations/migration-pool.js";
import { createShadowDatabase } from "../src/migrations/shadow-database.js";
import { datasource, issueOf, user } from "./migration-error.js";

let database: CreatedDatabase;
let directory = "";

beforeEach(async () => {
  database = await createDatabase(inject("postgresUrl"));
  directory = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-migrations-"));
});

afterEach(async () => {
  await database.drop();
  fs.rmSync(directory, { recursive: true, force: true });
});

function write(name: string, sql: string): void {
  fs.mkdirSync(path.join(directory, name), { recursive: true });
  fs.writeFileSync(path.join(directory, name, "migration.sql"), sql);
}

async function query(sql: string, values: unknown[] = []): Promise<unknown[]> {
  return withClient(database.url, async (client) =>
    (await client.query({ text: sql, values, rowMode: "array" })).rows.flat(),
  );
}

const tables = () => query("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1");

/** Shadow databases of this test: their names do not identify it, so all on the server count. */
async function shadows(): Promise<unknown[]> {
  return query("SELECT datname FROM pg_database WHERE datname LIKE '%shadow%'");
}

async function sessions(): Promise<unknown[]> {
  return query("SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()");
}

describe("applyMigrations", () => {
  it("applies pending migrations in the order of their names, and closes its connections", async () => {
    write("20240102_b", "CREATE TABLE b (id int REFERENCES a);");
    write("20240101_a", "CREATE TABLE a (id int PRIMARY KEY);");
    const lines: string[] = [];
    expect(await applyMigrations(database.url, directory, { log: (line) => lines.push(line) })).toEqual([
      "20240101_a",
      "20240102_b",
    ]);
    expect(lines).toEqual(["Applied migration 20240101_a.", "Applied migration 20240102_b."]);
    expect(await applyMigrations(database.url, directory)).toEqual([]);
    write("20240103_c", "");
    write("20240104_d", "-- nothing but a comment;");
    expect(await applyMigrations(database.url, directory)).toEqual(["20240103_c", "20240104_d"]);
    await expect.poll(sessions).toEqual([]);
    expect(await tables()).toEqual(["_prisma_migrations", "a", "b"]);
  });

  it("accepts semicolons in strings, comments and functions", async () => {
    write(
      "20240101_a",
      `CREATE TABLE a (t text DEFAULT 'x;y''z;'); -- one; two
       /* three; four */ CREATE FUNCTION seven() RETURNS int AS $$ BEGIN; RETURN 7; END; $$ LANGUAGE plpgsql;
       INSERT INTO a DEFAULT VALUES;`.replace("BEGIN;", "BEGIN"),
    );
    await applyMigrations(database.url, directory);
    expect(await query("SELECT t, seven() FROM a")).toEqual(["x;y'z;", 7]);
  });

  it("reports the failed migration with the database's message and the line", async () => {
    write("20240101_a", "CREATE TABLE a (id int);");
    write("20240102_b", "CREATE TABLE b (id int);\n\nSELECT nope FROM a;");
    write("20240103_c", "CREATE TABLE c (id int);");
    const issue = await issueOf(applyMigrations(database.url, directory));
    expect(issue.migration).toBe("20240102_b");
    expect(issue.message).toBe('The migration 20240102_b failed: column "nope" does not exist (line 3)');
    expect(await tables()).toEqual(["_prisma_migrations", "a"]);

    const again = await issueOf(applyMigrations(database.url, directory));
    expect(again).toMatchObject({ code: "P3009", migration: "20240102_b" });
    expect(again.message).toMatch(/^The migration 20240102_b failed at /);
  });

  it("records the failure of a migration with a transaction of its own", async () => {
    write("20240101_a", "BEGIN; CREATE TABLE a (id int); SELECT nope; COMMIT;");
    await issueOf(applyMigrations(database.url, directory));
    expect(await migrationStatus(database.url, directory)).toMatchObject({ failed: ["20240101_a"] });
    expect(await tables()).toEqual(["_prisma_migrations"]);
  });

  it("applies each migration once when several processes start together", async () => {
    write("20240101_a", "SELECT pg_sleep(0.3); CREATE TABLE a (id int);");
    const applied = await Promise.all([1, 2, 3, 4].map(() => applyMigrations(database.url, directory)));
    expect(applied.flat()).toEqual(["20240101_a"]);
  });

  it("stops waiting for the lock when it is closed", async () => {
    await withClient(database.url, async (client) => {
      await client.query("SELECT pg_advisory_lock(72707369)");
      const { pool, close } = createMigrationPool(database.url, null);
      const waiting = expect(pool.query("SELECT pg_advisory_lock(72707369)")).rejects.toThrow("terminating connection");
      await expect.poll(sessions).toHaveLength(2);
      await Promise.all([close(), waiting]);
    });
    await expect.poll(sessions).toEqual([]);
  });

  it("rejects a missing folder and a migration without a file", async () => {
    expect((await issueOf(applyMigrations(database.url, path.join(directory, "nope")))).message).toContain(
      "does not exist.",
    );
    fs.mkdirSync(path.join(directory, "20240101_a"));
    expect((await issueOf(applyMigrations(database.url, directory))).migration).toBe("20240101_a");
  });

  it.each([
    ["postgresql://postgres@127.0.0.1:1/x", /ECONNREFUSED 127.0.0.1:1/],
    ["not a url", /URL is invalid/],
  ])("fails with %s", async (url, message) => {
    expect((await issueOf(applyMigrations(url, directory))).message).toMatch(message);
  });

  it("reports that the database does not exist", async () => {
    const url = database.url.replace(database.name, "nowhere_at_all");
    expect((await issueOf(applyMigrations(url, directory))).message).toContain('"nowhere_at_all" does not exist');
  });

  it("migrates the schema in the URL", async () => {
    write("20240101_a", "CREATE TABLE a (id int);");
    await applyMigrations(`${database.url}?schema=my%20shop`, directory);
    expect(await query("SELECT schemaname FROM pg_tables WHERE tablename = 'a'")).toEqual(["my shop"]);
  });
});

describe("createMigration", () => {
  const create = (schema: string, name: string, apply?: boolean) =>
    createMigration({ url: database.url, schema, directory, name, ...(apply === undefined ? {} : { apply }) });

  it("writes the difference, applies it on request, and then finds none", async () => {
    const first = await create(datasource + user, "../First: users!", true);
    if (first.status !== "created") throw new Error(first.status);
    expect(first.name).toMatch(/^\d{14}_first_users$/);
    expect(first.sql).toContain('CREATE TABLE "User"');
    expect(fs.readFileSync(first.file, "utf8")).toBe(first.sql);
    expect(fs.readFileSync(path.join(directory, "migration_lock.toml"), "utf8")).toBe('provider = "postgresql"\n');
    expect(await create(datasource + user, "again", true)).toEqual({ status: "unchanged" });

    const second = await create(`${datasource}${user}model Post {\n  id Int @id\n}\n`, "posts");
    if (second.status !== "created") throw new Error(second.status);
    expect(second.name > first.name).toBe(true);
    expect(await migrationStatus(database.url, directory)).toEqual({
      applied: [first.name],
      pending: [second.name],
      failed: [],
      edited: [],
      missing: [],
    });
    expect(await tables()).toEqual(["User", "_prisma_migrations"]);
    await expect.poll(shadows).toEqual([]);
    await expect.poll(sessions).toEqual([]);
  });

  it("warns about data loss", async () => {
    await create(datasource + user, "users", true);
    await query(`INSERT INTO "User" (email) VALUES ('a@b')`);
    const result = await create(datasource + user.replace("email String @unique", ""), "no email");
    expect(result).toMatchObject({ status: "created", warnings: [expect.stringContaining("`email`")] });
  });

  it("rejects a migration that the data prevent, and writes nothing", async () => {
    await create(datasource + user, "users", true);
    await query(`INSERT INTO "User" (email) VALUES ('a@b')`);
    const before = fs.readdirSync(directory);
    const schema = datasource + user.replace("email String", "age Int\n  email String");
    expect((await issueOf(create(schema, "age", true))).message).toContain("required column `age`");
    expect(fs.readdirSync(directory)).toEqual(before);
    expect(await create(schema, "age")).toMatchObject({ warnings: [expect.stringContaining("`age`")] });
  });

  it("leaves no shadow database when it fails", async () => {
    await issueOf(create(`${datasource}model A {`, "broken"));
    await expect.poll(shadows).toEqual([]);
    write("20240101000000_bad", "CREATE TABLE a (id int);");
    await applyMigrations(database.url, directory);
    // The URL of the database is valid, that of the shadow database will be invalid.
    write("20240101000000_bad", "CREATE TABLE a (id int); SELECT nope;");
    expect((await issueOf(create(datasource + user, "x"))).message).toContain("nope");
    await expect.poll(shadows).toEqual([]);
    await expect.poll(sessions).toEqual([]);
  });

  it("requires a reset if the database differs from its migrations", async () => {
    await create(datasource + user, "users", true);
    await query("CREATE TABLE drift (id int PRIMARY KEY)");
    const { message } = await issueOf(create(datasource + user, "x"));
    expect(message).toMatch(/must be reset first[\s\S]*drift/);
    await expect.poll(shadows).toEqual([]);
  });

  it("drops the shadow database that an interrupted command left, and none that is in use", async () => {
    const nameOf = ({ url }: { readonly url: string }) => new URL(url).pathname.slice(1);
    const left = await createShadowDatabase(database.url);
    // What the server sees of a killed command.
    await query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE $1", [`%${nameOf(left)}%`]);
    const used = await createShadowDatabase(database.url);
    try {
      expect(await shadows()).not.toContain(nameOf(left));
      expect(await create(datasource + user, "users")).toMatchObject({ status: "created" });
      expect(await shadows()).toContain(nameOf(used));
    } finally {
      await used.drop();
    }
    expect(await shadows()).not.toContain(nameOf(used));
  });
});

describe("migrationStatus", () => {
  it("distinguishes edited, missing, failed and pending migrations", async () => {
    for (const name of ["1_a", "2_b", "3_c"]) write(name, `CREATE TABLE "${name}" (id int);`);
    expect(await migrationStatus(database.url, directory)).toMatchObject({
      applied: [],
      pending: ["1_a", "2_b", "3_c"],
    });
    expect(await tables()).toEqual([]);
    await applyMigrations(database.url, directory);
    write("4_d", "SELECT nope");
    await issueOf(applyMigrations(database.url, directory));
    write("2_b", "CREATE TABLE other (id int);");
    write("5_e", "SELECT 1");
    fs.rmSync(path.join(directory, "3_c"), { recursive: true });
    expect(await migrationStatus(database.url, directory)).toEqual({
      applied: ["1_a", "2_b"],
      pending: ["5_e"],
      failed: ["4_d"],
      edited: ["2_b"],
      missing: ["3_c"],
    });
  });

  it("counts a migration without its folder as missing", async () => {
    expect(await migrationStatus(database.url, path.join(directory, "none"))).toEqual({
      applied: [],
      pending: [],
      failed: [],
      edited: [],
      missing: [],
    });
  });
});

describe("resetDatabase", () => {
  it("drops everything in every schema and applies all migrations again", async () => {
    write("1_a", `CREATE SCHEMA "other one"; CREATE TABLE "other one".t (id int); CREATE TABLE a (id int);`);
    await applyMigrations(database.url, directory);
    await query("INSERT INTO a VALUES (1)");
    for (const sql of [
      "CREATE TABLE drift (id int)",
      "CREATE VIEW v AS SELECT * FROM a",
      "CREATE TYPE ty AS ENUM ('x')",
      "CREATE FUNCTION f() RETURNS int AS 'SELECT 1' LANGUAGE sql",
      "CREATE SCHEMA stray CREATE TABLE s (id int)",
    ]) {
      await query(sql);
    }
    expect(await resetDatabase(database.url, directory)).toEqual(["1_a"]);
    expect(await tables()).toEqual(["_prisma_migrations", "a"]);
    expect(await query("SELECT count(*)::int FROM a")).toEqual([0]);
    expect(await query("SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' ORDER BY 1")).toEqual([
      "information_schema",
      "other one",
      "public",
    ]);
    expect(await query("SELECT count(*)::int FROM pg_proc WHERE proname = 'f'")).toEqual([0]);
  });

  it("recovers from a failed migration", async () => {
    write("1_a", "SELECT nope");
    await issueOf(applyMigrations(database.url, directory));
    write("1_a", "SELECT 1");
    expect(await resetDatabase(database.url, directory)).toEqual(["1_a"]);
  });

  it("drops nothing if there is no folder of migrations", async () => {
    await query("CREATE TABLE precious (id int)");
    await issueOf(resetDatabase(database.url, path.join(directory, "misspelt")));
    expect(await tables()).toEqual(["precious"]);
  });
});

it("removes the storage for panic messages after use", async () => {
  await Promise.all([pushSchema(database.url, datasource), migrationStatus(database.url, directory)]);
  expect(Object.keys(globalThis)).not.toContain("PRISMA_WASM_PANIC_REGISTRY");
});
