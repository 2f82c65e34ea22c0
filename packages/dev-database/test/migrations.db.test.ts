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
  forgetFailedMigration,
  MigrationError,
  migrationStatus,
} from "../src/index.js";
import { datasource } from "./migration-error.js";

let database: CreatedDatabase;
let directory: string;
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
const tables = (): Promise<unknown[]> =>
  withClient(database.url, async (client) => {
    const text = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> '_prisma_migrations'";
    return (await client.query({ text: `${text} ORDER BY 1`, rowMode: "array" })).rows.flat();
  });
const status = () => migrationStatus(database.url, directory);
const none = { applied: [], pending: [], failed: [], edited: [], missing: [] };

describe("migrations of a folder", () => {
  it("are applied once, in the order of their names, and reported", async () => {
    write("2_b", "CREATE TABLE b (id int REFERENCES a);");
    write("1_a", "CREATE TABLE a (id int PRIMARY KEY);");
    expect(await status()).toEqual({ ...none, pending: ["1_a", "2_b"] });
    const lines: string[] = [];
    const log = (line: string): void => void lines.push(line);
    expect(await applyMigrations(database.url, directory, { log })).toEqual(["1_a", "2_b"]);
    expect(await applyMigrations(database.url, directory, { log })).toEqual([]);
    expect(lines).toHaveLength(2);
    expect([await status(), await tables()]).toEqual([{ ...none, applied: ["1_a", "2_b"] }, ["a", "b"]]);
    fs.appendFileSync(path.join(directory, "1_a/migration.sql"), "-- changed");
    fs.rmSync(path.join(directory, "2_b"), { recursive: true });
    expect(await status()).toMatchObject({ edited: ["1_a"], missing: ["2_b"], pending: [] });
  });

  it("that fail are named with the database's message, its detail, its hint and the line, and leave nothing behind", async () => {
    write("1_a", "CREATE TABLE a (id int PRIMARY KEY, x text);\nINSERT INTO a VALUES (1);");
    write("2_b", "CREATE TABLE b (id int);\nINSERT INTO a VALUES (1);");
    const failure = await applyMigrations(database.url, directory).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(MigrationError);
    const { message, migration } = failure as MigrationError;
    expect(message).toMatch(/duplicate key.*\nKey \(id\)=\(1\)/);
    expect(migration).toBe("2_b");
    expect([await tables(), (await status()).failed]).toEqual([["a"], ["2_b"]]);
    await expect(applyMigrations(database.url, directory)).rejects.toMatchObject({ migration: "2_b" });
    await forgetFailedMigration(database.url, "2_b");
    write("2_b", "CREATE TABLE b (id int);\n\nSELECT idd FROM a;");
    const second = applyMigrations(database.url, directory);
    await expect(second).rejects.toThrow(/"idd" does not exist \(line 3\)\n.*"a\.id"/);
    await forgetFailedMigration(database.url, "2_b");
    write("2_b", "CREATE TABLE b (id int);");
    expect(await applyMigrations(database.url, directory)).toEqual(["2_b"]);
  });

  it("that fail are named beside another package of Prisma that stores panic messages, which stores its own afterwards", async () => {
    const place = globalThis as { PRISMA_WASM_PANIC_REGISTRY?: unknown };
    const before = place.PRISMA_WASM_PANIC_REGISTRY;
    const other = { message: "", set_message: () => undefined };
    place.PRISMA_WASM_PANIC_REGISTRY = other;
    try {
      write("1_a", "SELECT missing;");
      await expect(applyMigrations(database.url, directory)).rejects.toThrow(/"missing" does not exist/);
      expect(place.PRISMA_WASM_PANIC_REGISTRY).toBe(other);
    } finally {
      place.PRISMA_WASM_PANIC_REGISTRY = before;
    }
  });

  it("are written from the schema, with warnings, and not again when nothing has changed", async () => {
    const schema = (fields: string): string => `${datasource}\nmodel Note {\n  id Int @id\n${fields}}\n`;
    const create = (fields: string, apply = false) =>
      createMigration({ url: database.url, directory, schema: schema(fields), name: "my change", apply });
    const first = await create("  text String\n");
    if (first.status === "unchanged") throw new Error("The schema is new.");
    expect(first.name).toMatch(/^\d{14}_my_change$/);
    expect(fs.readFileSync(first.file, "utf8")).toBe(first.sql);
    expect([first.warnings, await tables()]).toEqual([[], []]);
    expect(await create("  text String\n", true)).toEqual({ status: "unchanged" });
    expect(await tables()).toEqual(["Note"]);
    await withClient(database.url, (client) => client.query(`INSERT INTO "Note" VALUES (1, 'a')`));
    const dropped = await create("");
    expect(dropped).toMatchObject({ status: "created", warnings: [expect.stringContaining("text")] });
    await expect(create("  size Int\n", true)).rejects.toThrow(MigrationError);
  });
});
