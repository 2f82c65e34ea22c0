import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { withClient } from "../src/databases/with-client.js";
import {
  applyMigrations,
  type CreatedDatabase,
  type CreateMigrationOptions,
  createDatabase,
  createMigration,
  findOutdatedColumns,
  type GeneratedColumn,
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

const plain = "name String\n  note String?";
const vector =
  'words Unsupported("tsvector")? @default(dbgenerated()) @map("its words")\n  @@index([words], type: Gin)';
const schema = (...lines: readonly string[]) =>
  `${datasource}\nmodel Thing {\n  id Int @id\n  ${lines.join("\n  ")}\n  @@map("the things")\n}\n`;
const column = (expression: string): GeneratedColumn => ({
  table: "the things",
  column: "its words",
  type: "tsvector",
  expression,
  comment: `as ${expression}'s`,
});
const ofName = column(`to_tsvector('simple', name)`);
const ofBoth = column(`to_tsvector('simple', name || ';' || coalesce(note, ''))`);

const change = (source: string, more: Partial<CreateMigrationOptions> = {}) =>
  createMigration({ url: database.url, schema: source, directory, name: "change", ...more });
async function apply(source: string, more: Partial<CreateMigrationOptions>): Promise<string> {
  const made = await change(source, more);
  if (made.status === "unchanged") throw new Error("no migration was created");
  await applyMigrations(database.url, directory);
  return made.sql;
}
const query = (text: string): Promise<Record<string, unknown>[]> =>
  withClient(database.url, async (client) => (await client.query(text)).rows);
const indexes = async () =>
  (await query("SELECT indexname FROM pg_indexes WHERE tablename = 'the things' ORDER BY 1")).map(
    (row) => row.indexname,
  );

describe("C143 outdated generated columns", () => {
  it("are those with another definition, until a migration has replaced them", async () => {
    await apply(schema(plain, vector), { generatedColumns: [ofName] });
    await query(`INSERT INTO "the things" (id, name, note) VALUES (1, 'sea', 'tide')`);
    const missing = { ...ofBoth, column: "other" };
    expect(await findOutdatedColumns(database.url, [ofName, missing])).toEqual([]);
    expect(await findOutdatedColumns(database.url, [ofBoth])).toEqual([ofBoth]);
    await apply(schema(plain, vector), { generatedColumns: [ofBoth] });
    expect(await findOutdatedColumns(database.url, [ofBoth])).toEqual([]);
    expect(await query(`SELECT "its words"::text AS words FROM "the things"`)).toEqual([{ words: "'sea':1 'tide':2" }]);
    expect(await indexes()).toContain("the things_its words_idx");
  });
});

describe("C103 generated columns of a migration", () => {
  it("are created with the table, and a second run and Prisma's own comparison find no difference", async () => {
    const generatedColumns = [ofName];
    expect(await apply(schema(plain, vector), { generatedColumns })).toContain("GENERATED ALWAYS AS");
    await query(`INSERT INTO "the things" (id, name) VALUES (1, 'a tent')`);
    expect(await query(`SELECT id FROM "the things" WHERE "its words" @@ 'tent'`)).toEqual([{ id: 1 }]);
    expect(await change(schema(plain, vector), { generatedColumns })).toEqual({ status: "unchanged" });
    expect(await change(schema(plain, vector))).toEqual({ status: "unchanged" });
  });

  it("are added to a table with rows", async () => {
    await apply(schema(plain), {});
    await query(`INSERT INTO "the things" (id, name) VALUES (1, 'a tent')`);
    await apply(schema(plain, "size Int?", vector), { generatedColumns: [ofName] });
    expect(await query(`SELECT id FROM "the things" WHERE "its words" @@ 'tent'`)).toEqual([{ id: 1 }]);
    expect(await change(schema(plain, "size Int?", vector), { generatedColumns: [ofName] })).toEqual({
      status: "unchanged",
    });
  });

  it("get another expression with their indexes, once", async () => {
    await apply(schema(plain, vector), { generatedColumns: [ofName] });
    await query(`INSERT INTO "the things" (id, name, note) VALUES (1, 'a', 'tent')`);
    const before = await indexes();
    await apply(schema(plain, vector), { generatedColumns: [ofBoth] });
    expect(await query(`SELECT id FROM "the things" WHERE "its words" @@ 'tent'`)).toEqual([{ id: 1 }]);
    expect(await indexes()).toEqual(before);
    expect(before).toHaveLength(2);
    expect(await change(schema(plain, vector), { generatedColumns: [ofBoth] })).toEqual({ status: "unchanged" });
  });

  it("get an expression if Prisma Migrate created the column without one", async () => {
    await apply(schema(plain, vector), {});
    await apply(schema(plain, vector), { generatedColumns: [ofName] });
    expect(await change(schema(plain, vector), { generatedColumns: [ofName] })).toEqual({ status: "unchanged" });
  });

  it("change before a column is dropped, and after one is added", async () => {
    await apply(schema(plain, vector), { generatedColumns: [ofBoth] });
    const next = schema("name String", "text String?", vector);
    const ofText = column(`to_tsvector('simple', name || coalesce(text, ''))`);
    await apply(next, { generatedColumns: [ofText] });
    expect(await change(next, { generatedColumns: [ofText] })).toEqual({ status: "unchanged" });
  });

  it("disappear with their field", async () => {
    await apply(schema(plain, vector), { generatedColumns: [ofName] });
    await apply(schema(plain), { generatedColumns: [] });
    expect(await change(schema(plain), { generatedColumns: [] })).toEqual({ status: "unchanged" });
  });
});

describe("C103 indexes of expressions", () => {
  const sql = `CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE INDEX "things_a" ON "the things" USING GIN ((left(name, 9)) gin_trgm_ops);`;

  it("are created once, ignored by Prisma Migrate, and dropped if they are not wanted", async () => {
    const wanted = [{ name: "things_a", sql }];
    await apply(schema(plain), { indexes: wanted });
    expect(await indexes()).toEqual(["the things_pkey", "things_a"]);
    expect(await change(schema(plain), { indexes: wanted })).toEqual({ status: "unchanged" });
    expect(await change(schema(plain))).toEqual({ status: "unchanged" });
    await query(`CREATE INDEX own ON "the things" (lower(name))`);
    expect(await apply(schema(plain), { indexes: [] })).toContain('DROP INDEX IF EXISTS "things_a"');
    expect(await indexes()).toEqual(["own", "the things_pkey"]);
  });
});
