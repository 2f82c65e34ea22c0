import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type CreatedDatabase, createDatabase } from "../../dev-database/src/index.js";

// From what was built, in plain Node, as a deploy runs it.
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

async function run(args: readonly string[], environment: object = { DATABASE_URL: database.url }) {
  const { DATABASE_URL: _, ...env } = process.env;
  const child = spawn(process.execPath, [bin, ...args], { cwd: folder, env: { ...env, ...environment } });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += chunk));
  const code = await new Promise((resolve) => child.once("exit", resolve));
  return { code, said };
}

async function query(sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query(sql);
  await client.end();
  return rows;
}

describe("C69 C73 service migrate deploy", () => {
  it("three at once apply each migration once, also one that takes longer than the engine waits for its lock", async () => {
    write("20260101000000_first", 'CREATE TABLE "Ship" (id int); INSERT INTO "Ship" VALUES (1);');
    write("20260102000000_slow", 'INSERT INTO "Ship" SELECT 2 FROM pg_sleep(12);');
    const runs = await Promise.all([1, 2, 3].map(() => run(["migrate", "deploy"])));
    expect(runs.map(({ code, said }) => (code === 0 ? code : said))).toEqual([0, 0, 0]);
    expect(runs.filter(({ said }) => said.includes("Applied 2 migrations."))).toHaveLength(1);
    expect(runs.filter(({ said }) => said.includes("The database is up to date."))).toHaveLength(2);
    expect(await query('SELECT id FROM "Ship" ORDER BY id')).toEqual([{ id: 1 }, { id: 2 }]);
    expect(await query('SELECT count(*)::int AS rows FROM "_prisma_migrations"')).toEqual([{ rows: 2 }]);
  });

  it("takes another folder, and variables of an .env file", async () => {
    fs.writeFileSync(path.join(folder, ".env"), `DATABASE_URL=${database.url}\n`);
    const { code, said } = await run(["migrate", "deploy", "--dir", "./prisma/migrations"], {});
    fs.rmSync(path.join(folder, ".env"));
    expect([code, said]).toEqual([0, "The database is up to date.\n"]);
  });

  it("ends with 1 and what the database said of a migration that fails, and goes no further", async () => {
    write("20260103000000_wrong", 'ALTER TABLE "Shop" ADD COLUMN name text;');
    write("20260104000000_after", 'CREATE TABLE "After" (id int);');
    const { code, said } = await run(["migrate", "deploy"]);
    expect(code).toBe(1);
    expect(said).toContain('20260103000000_wrong failed: relation "Shop" does not exist');
    expect(await query(`SELECT 1 FROM pg_tables WHERE tablename = 'After'`)).toEqual([]);
    expect((await run(["migrate", "deploy"])).said).toContain("Nothing is applied until that is resolved");
  });

  it.each([
    [["migrate", "deploy"], {}, "DATABASE_URL is missing"],
    [["migrate", "deploy", "--dir", "nowhere"], undefined, "There is no folder of migrations at"],
    [["migrate", "resett"], undefined, "unknown command 'resett'"],
    [["migrate", "deploy", "--dri", "x"], undefined, "--dri"],
    [["migrate", "deploy"], { DATABASE_URL: "mysql://localhost/x" }, "The database URL cannot be read"],
  ])("%j is told with its remedy", async (args, environment, told) => {
    const { code, said } = await run(args, environment);
    expect([code, said.includes("    at ")]).toEqual([1, false]);
    expect(said).toContain(told);
  });
});
