import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  applyMigrations,
  baselineDatabase,
  createMigration,
  forgetFailedMigration,
  introspectDatabase,
  migrationStatus,
  pushSchema,
  resetDatabase,
} from "../src/index.js";
import { createSqliteAdapter } from "../src/migrations/sqlite-adapter.js";
import { formatRecord, type ProcessRecord, recordOf } from "../src/server/process-record.js";

let folder: string;
let url: string;
let directory: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-migrations-"));
  url = `file:${path.join(folder, "dev.db")}`;
  directory = path.join(folder, "migrations");
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const schema = (extra = "", note = "String?") => `datasource db {
  provider = "sqlite"
}
model Owner {
  id    Int     @id @default(autoincrement())
  note  ${note}
  items Item[]
  ${extra}
}
model Item {
  id      Int   @id @default(autoincrement())
  ownerId Int
  owner   Owner @relation(fields: [ownerId], references: [id], onDelete: Cascade)
}
`;

async function query(sql: string): Promise<unknown[]> {
  const { factory, dispose } = await createSqliteAdapter(url);
  try {
    return (await (await factory.connect()).queryRaw({ sql, args: [], argTypes: [] })).rows.flat();
  } finally {
    await dispose();
  }
}

const empty = { pending: [], failed: [], edited: [], missing: [] };

describe("C113 migrations of an SQLite file", () => {
  it("C113 are created, applied, compared and reset", async () => {
    const first = await createMigration({ url, schema: schema(), directory, name: "init", apply: true });
    expect(first).toMatchObject({ status: "created", warnings: [] });
    expect(fs.readFileSync(path.join(directory, "migration_lock.toml"), "utf8")).toBe('provider = "sqlite"\n');
    const next = await createMigration({
      url,
      schema: schema('color String @default("red")'),
      directory,
      name: "color",
    });
    expect(next).toMatchObject({
      status: "created",
      sql: expect.stringContaining("\"color\" TEXT NOT NULL DEFAULT 'red'"),
    });
    expect((await migrationStatus(url, directory)).pending).toHaveLength(1);
    expect(await applyMigrations(url, directory)).toHaveLength(1);
    expect(await migrationStatus(url, directory)).toMatchObject({ ...empty, applied: expect.any(Array) });
    expect(
      await createMigration({ url, schema: schema('color String @default("red")'), directory, name: "x" }),
    ).toEqual({
      status: "unchanged",
    });
    await query("INSERT INTO Owner (id) VALUES (1)");
    expect(await resetDatabase(url, directory)).toHaveLength(2);
    expect(await query("SELECT count(*) FROM Owner")).toEqual(["0"]);
  });

  it("C117 of a new database are all pending, and none without a folder", async () => {
    expect(await migrationStatus(url, directory)).toEqual({ ...empty, applied: [] });
    await createMigration({ url, schema: schema(), directory, name: "init" });
    fs.rmSync(path.join(folder, "dev.db"));
    expect(await migrationStatus(url, directory)).toMatchObject({ applied: [], pending: [expect.any(String)] });
  });

  it("C117 start with a baseline of a file that was created without migrations, whose schema is read", async () => {
    await expect(introspectDatabase(url)).rejects.toThrow(/dev\.db does not exist/);
    await query(
      "CREATE TABLE Owner (id INTEGER PRIMARY KEY AUTOINCREMENT, note TEXT, at DATETIME DEFAULT CURRENT_TIMESTAMP)",
    );
    await query(
      "CREATE TABLE Item (id INTEGER PRIMARY KEY, ownerId INTEGER NOT NULL REFERENCES Owner (id) ON DELETE CASCADE)",
    );
    await query("INSERT INTO Owner (note) VALUES ('kept')");
    await expect(introspectDatabase(url, { schemas: ["main"] })).rejects.toThrow("SQLite has no schemas to choose.");
    const { schema: found } = await introspectDatabase(url);
    expect(found).toMatch(/provider = "sqlite"[\s\S]*model Owner \{[\s\S]*Item +Item\[\]/);
    const file = await baselineDatabase({ url, schema: found, directory });
    expect(fs.readFileSync(file, "utf8")).toContain('CREATE TABLE "Owner"');
    expect(fs.readFileSync(path.join(directory, "migration_lock.toml"), "utf8")).toBe('provider = "sqlite"\n');
    expect(await migrationStatus(url, directory)).toEqual({ ...empty, applied: ["0_init"] });
    expect(await query("SELECT note FROM Owner")).toEqual(["kept"]);
    const other = `file:${path.join(folder, "other.db")}`;
    expect(await applyMigrations(other, directory)).toEqual(["0_init"]);
    await expect(introspectDatabase(`file:${path.join(folder, "empty.db")}`)).rejects.toThrow("does not exist");
  });

  it("C117 quote the defaults of JSON, which Prisma writes unquoted", async () => {
    const json = `a Json @default("{\\"it's\\": [1]}")\n  b Json @default("[]")\n  c Json @default("\\"x\\"")\n  d Json? @default("5")`;
    const made = await createMigration({ url, schema: schema(json), directory, name: "init", apply: true });
    expect(made).toMatchObject({ sql: expect.stringContaining(`DEFAULT '{"it''s":[1]}'`) });
    await query("INSERT INTO Owner (id) VALUES (1)");
    expect(await query("SELECT a, b, c, d FROM Owner")).toEqual([`{"it's":[1]}`, "[]", '"x"', "5"]);
    expect(await createMigration({ url, schema: schema(json), directory, name: "x" })).toEqual({ status: "unchanged" });
    const more = `${json}\n  e Json @default("{}")`;
    await createMigration({ url, schema: schema(more), directory, name: "more", apply: true });
    expect(await query("SELECT e FROM Owner")).toEqual(["{}"]);
    await pushSchema(`file:${path.join(folder, "pushed.db")}`, schema(more));
  });

  it("C113 keep rows that reference a table that is made again", async () => {
    await createMigration({ url, schema: schema(), directory, name: "init", apply: true });
    await query("INSERT INTO Owner (id, note) VALUES (1, 'a')");
    await query("INSERT INTO Item (ownerId) VALUES (1)");
    const made = await createMigration({ url, schema: schema("", "String"), directory, name: "required" });
    expect(made).toMatchObject({ sql: expect.stringContaining('DROP TABLE "Owner"') });
    await applyMigrations(url, directory);
    expect(await query("SELECT count(*) FROM Item")).toEqual(["1"]);
    expect(await query("PRAGMA foreign_key_check")).toEqual([]);
  });

  it("C113 are applied completely or not at all, and a failed one can be forgotten", async () => {
    await createMigration({ url, schema: schema(), directory, name: "init", apply: true });
    const bad = path.join(directory, "29990101000000_bad");
    fs.mkdirSync(bad);
    fs.writeFileSync(path.join(bad, "migration.sql"), "CREATE TABLE half (id INT);\nCREATE TABLE Owner (id INT);");
    await expect(applyMigrations(url, directory)).rejects.toThrow(/29990101000000_bad failed: .*already exists/);
    expect(await query("SELECT name FROM sqlite_master WHERE name = 'half'")).toEqual([]);
    expect((await migrationStatus(url, directory)).failed).toEqual(["29990101000000_bad"]);
    await forgetFailedMigration(url, "29990101000000_bad");
    fs.writeFileSync(path.join(bad, "migration.sql"), "CREATE TABLE half (id INT);");
    expect(await applyMigrations(url, directory)).toEqual(["29990101000000_bad"]);
  });

  it.each([
    ["of an ended process", formatRecord({ pid: process.pid, mark: "an ended process" })],
    ["that its process did not write", ""],
  ])("C113 are applied once by concurrent processes, and the lock %s is removed", async (_, text) => {
    await createMigration({ url, schema: schema(), directory, name: "init" });
    const lock = `${path.join(folder, "dev.db")}.migrating`;
    fs.writeFileSync(lock, text);
    const then = Date.now() / 1000 - 10;
    fs.utimesSync(lock, then, then);
    const applied = await Promise.all([1, 2, 3].map(() => applyMigrations(url, directory)));
    expect(applied.map(({ length }) => length).sort()).toEqual([0, 0, 1]);
    expect(fs.existsSync(lock)).toBe(false);
  });

  it("C113 wait for the lock of another process, and report the wait", async () => {
    await createMigration({ url, schema: schema(), directory, name: "init" });
    const lock = `${path.join(folder, "dev.db")}.migrating`;
    fs.writeFileSync(lock, formatRecord(recordOf(process.pid) as ProcessRecord));
    const lines: string[] = [];
    const log = (line: string): void => {
      lines.push(line);
      fs.rmSync(lock, { force: true });
    };
    const [name] = await applyMigrations(url, directory, { log });
    expect(lines).toEqual(["Another process is applying migrations: waiting for it.", `Applied migration ${name}.`]);
  });

  it("C113 reject another schema, and a database that is not empty", async () => {
    await pushSchema(url, schema());
    await expect(createMigration({ url, schema: schema(), directory, name: "init", apply: true })).rejects.toThrow(
      /not empty/i,
    );
  });
});
