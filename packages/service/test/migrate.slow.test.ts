import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { createEmptyMysqlDatabase } from "../../../scripts/test/mysql-database.js";
import { providers } from "../../../scripts/test/provider-database.js";
import { type CreatedDatabase, createDatabase } from "../../dev-database/src/index.js";

// From the built files, in plain Node, as a deployment runs it.
const bin = path.join(import.meta.dirname, "..", "bin", "service.js");
let database: CreatedDatabase;
let folder = "";
beforeAll(async () => {
  database = await createDatabase(inject("postgresUrl"));
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-migrate-"));
});
afterAll(async () => {
  await database.drop();
  fs.rmSync(folder, { recursive: true, force: true });
});

function write(name: string, sql: string): void {
  fs.mkdirSync(path.join(folder, "prisma/migrations", name), { recursive: true });
  fs.writeFileSync(path.join(folder, "prisma/migrations", name, "migration.sql"), sql);
}

async function run(args: readonly string[], environment: object = { DATABASE_URL: database.url }, cwd = folder) {
  const { DATABASE_URL: _, ...env } = process.env;
  const child = spawn(process.execPath, [bin, ...args], { cwd, env: { ...env, ...environment } });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (text += chunk));
  const code = await new Promise((resolve) => child.once("exit", resolve));
  return { code, text };
}

async function query(sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query(sql);
  await client.end();
  return rows;
}

describe("C69 C73 service migrate deploy", () => {
  it("applies each migration once in three concurrent runs, also one that takes longer than the engine waits for its lock", async () => {
    write("20260101000000_first", 'CREATE TABLE "Ship" (id int); INSERT INTO "Ship" VALUES (1);');
    write("20260102000000_slow", 'INSERT INTO "Ship" SELECT 2 FROM pg_sleep(12);');
    const runs = await Promise.all([1, 2, 3].map(() => run(["migrate", "deploy"])));
    expect(runs.map(({ code, text }) => (code === 0 ? code : text))).toEqual([0, 0, 0]);
    expect(runs.filter(({ text }) => text.includes("Applied 2 migrations."))).toHaveLength(1);
    expect(runs.filter(({ text }) => text.includes("The database is up to date."))).toHaveLength(2);
    expect(await query('SELECT id FROM "Ship" ORDER BY id')).toEqual([{ id: 1 }, { id: 2 }]);
    expect(await query('SELECT count(*)::int AS rows FROM "_prisma_migrations"')).toEqual([{ rows: 2 }]);
  });

  it("accepts another folder, and variables of an .env file", async () => {
    fs.writeFileSync(path.join(folder, ".env"), `DATABASE_URL=${database.url}\n`);
    const { code, text } = await run(["migrate", "deploy", "--dir", "./prisma/migrations"], {});
    fs.rmSync(path.join(folder, ".env"));
    expect([code, text]).toEqual([0, "The database is up to date.\n"]);
  });

  it("exits with 1 and the database's error of a failed migration, and stops there", async () => {
    write("20260103000000_wrong", 'ALTER TABLE "Shop" ADD COLUMN name text;');
    write("20260104000000_after", 'CREATE TABLE "After" (id int);');
    const { code, text } = await run(["migrate", "deploy"]);
    expect(code).toBe(1);
    expect(text).toContain('20260103000000_wrong failed: relation "Shop" does not exist');
    expect(await query(`SELECT 1 FROM pg_tables WHERE tablename = 'After'`)).toEqual([]);
    expect((await run(["migrate", "deploy"])).text).toContain("No migration is applied until this is resolved");
  });

  it.each([
    [["migrate", "deploy"], {}, "DATABASE_URL is not set."],
    [["migrate", "deploy", "--dir", "nowhere"], undefined, "does not exist"],
    [["migrate", "resett"], undefined, "unknown command 'resett'"],
    [["migrate", "deploy", "--dri", "x"], undefined, "--dri"],
    [["migrate", "deploy"], { DATABASE_URL: "mysql://localhost/x?ssl=1" }, "unknown parameter ssl"],
  ])("%j is reported with its fix", async (args, environment, reported) => {
    const { code, text } = await run(args, environment);
    expect([code, text.includes("    at ")]).toEqual([1, false]);
    expect(text).toContain(reported);
  });
});

it.skipIf(!providers.includes("mysql"))(
  "C120 service migrate applies, compares and resets the migrations of MySQL and MariaDB",
  async () => {
    const { url, run: query, drop } = await createEmptyMysqlDatabase();
    try {
      const dir = path.join(folder, "mysql");
      fs.mkdirSync(path.join(dir, "prisma/migrations/1_first"), { recursive: true });
      fs.writeFileSync(path.join(dir, "prisma/schema.prisma"), 'datasource db {\n  provider = "mysql"\n}\n');
      fs.writeFileSync(path.join(dir, "prisma/migrations/1_first/migration.sql"), "CREATE TABLE Ship (id INT);");
      const environment = { DATABASE_URL: url };
      expect(await run(["migrate", "status"], environment, dir)).toEqual({
        code: 1,
        text: "0 applied\npending  1_first\n",
      });
      const deployed = await run(["migrate", "deploy"], environment, dir);
      expect(deployed).toEqual({ code: 0, text: "Applied migration 1_first.\nApplied 1 migration.\n" });
      await query("INSERT INTO Ship VALUES (1)");
      expect(await run(["migrate", "status"], environment, dir)).toEqual({ code: 0, text: "1 applied\n" });
      expect(await run(["migrate", "reset", "--yes"], environment, dir)).toMatchObject({ code: 0 });
      expect(await query("SELECT * FROM Ship")).toEqual([]);
      const created = await run(["migrate", "new", "--name", "next"], environment, dir);
      expect([created.code, created.text]).toEqual([1, expect.stringContaining("does not support MySQL")]);
    } finally {
      await drop();
    }
  },
);
