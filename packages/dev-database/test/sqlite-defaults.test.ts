import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import {
  applyMigrations,
  baselineDatabase,
  createMigration,
  introspectDatabase,
  outdatedDefaults,
  pushSchema,
} from "../src/index.js";
import { onSqlite } from "../src/migrations/on-sqlite.js";

let folder: string;
let url: string;
let directory: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-defaults-"));
  url = `file:${path.join(folder, "dev.db")}`;
  directory = path.join(folder, "migrations");
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const schemaOf = (fields: string, more = ""): string => `datasource db {
  provider = "sqlite"
}
model Item {
  id Int @id @default(autoincrement())
  ${fields}
}
${more}`;

const query = (sql: string): Promise<readonly unknown[]> =>
  onSqlite(url, async (adapter) => (await adapter.queryRaw({ sql, args: [], argTypes: [] })).rows.flat());

/** Applies a script as a migration. */
async function apply(name: string, script: string): Promise<void> {
  fs.mkdirSync(path.join(directory, name), { recursive: true });
  fs.writeFileSync(path.join(directory, name, "migration.sql"), script);
  await applyMigrations(url, directory);
}

const migrate = (schema: string) => createMigration({ url, schema, directory, name: "next", apply: true });
const unchanged = { status: "unchanged" };
const exactMoment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/;

it.each([
  ["DateTime @default(now())"],
  ["DateTime? @default(now())"],
  ['DateTime @default(dbgenerated("CURRENT_TIMESTAMP"))'],
  [`DateTime @default(dbgenerated("(datetime('now'))"))`],
  [`DateTime? @default(dbgenerated("(datetime('now'))"))`],
  [`DateTime @default(dbgenerated("(datetime('now', '+1 day'))"))`],
  [`DateTime @default(dbgenerated("(unixepoch() * 1000)"))`],
  [`DateTime @default(dbgenerated("(strftime('%Y-%m-%d', 'now'))"))`],
  ['DateTime @default("2024-01-01T00:30:00+02:00")'],
  ['DateTime? @default("2024-01-01T00:30:00.25-05:30")'],
  [`DateTime @default(dbgenerated("'2024-01-01 00:30:00'"))`],
])("C139 %s has the form of Prisma Client, for existing and new rows", async (field) => {
  await migrate(schemaOf("name String?"));
  await query("INSERT INTO Item (name) VALUES ('old')");
  await migrate(schemaOf(`name String?\n  at ${field}`));
  await query("INSERT INTO Item (name) VALUES ('new')");
  const values = await query("SELECT at FROM Item");
  expect(values).toEqual([expect.stringMatching(exactMoment), expect.stringMatching(exactMoment)]);
  expect(await migrate(schemaOf(`name String?\n  at ${field}`))).toEqual(unchanged);
  await migrate(schemaOf(`name String?\n  at ${field}\n  more Int?`));
  expect(await query("SELECT at FROM Item")).toEqual(values);
});

it("C139 constants with an offset are written in UTC", async () => {
  await migrate(
    schemaOf('a DateTime @default("2024-01-01T00:30:00+02:00")\n  b DateTime @default("2024-01-01T00:30:00.1-05:30")'),
  );
  await query("INSERT INTO Item (id) VALUES (1)");
  expect(await query("SELECT a, b FROM Item")).toEqual([
    "2023-12-31T22:30:00.000+00:00",
    "2024-01-01T06:00:00.100+00:00",
  ]);
});

it("C139 optional columns that become required receive the default in the same form", async () => {
  const fields = (mark: string, of: (constant: string) => string) =>
    schemaOf(`at DateTime${mark} ${of("now()")}
  day DateTime${mark} ${of('"2024-01-01T00:30:00+02:00"')}
  bytes Bytes${mark} ${of('"SGVsbG8="')}
  data Json${mark} ${of(`"{\\"bb\\": [\\"it's, (a)\\"], \\"a\\": 1}"`)}`);
  await migrate(fields("?", () => ""));
  await query("INSERT INTO Item (id) VALUES (1)");
  await migrate(fields("", (constant) => `@default(${constant})`));
  expect(await query("SELECT at, day, hex(bytes), typeof(bytes), data FROM Item")).toEqual([
    expect.stringMatching(exactMoment),
    "2023-12-31T22:30:00.000+00:00",
    "48656C6C6F",
    "blob",
    `{"a":1,"bb":["it's, (a)"]}`,
  ]);
  expect(await migrate(fields("", (constant) => `@default(${constant})`))).toEqual(unchanged);
});

it("C139 a text that looks like a definition stays as it is", async () => {
  const text = `x\\n    \\"at\\" DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,\\n-- it's; \\"b\\" BLOB DEFAULT 'ff'`;
  await migrate(schemaOf(`text String @default("${text}")\n  at DateTime @default(now())`));
  await query("INSERT INTO Item (id) VALUES (1)");
  expect(await query("SELECT text FROM Item")).toEqual([JSON.parse(`"${text}"`)]);
});

it("C139 the next migration changes defaults and values of an earlier version, and nothing else", async () => {
  await apply(
    "20200101000000_init",
    `CREATE TABLE "Item" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "at" DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "bytes" BLOB NOT NULL DEFAULT '48656c6c6f',
    "data" JSONB NOT NULL DEFAULT '{"bb": 1, "a": 2}'
);
CREATE TABLE "Other" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "at" DATETIME NOT NULL);
CREATE INDEX "Item_at_idx" ON "Item"("at");`,
  );
  const times: readonly (readonly [stored: string, repaired: unknown])[] = [
    ["'2024-01-02 03:04:05'", "2024-01-02T03:04:05.000+00:00"],
    ["'2024-01-02 03:04:05.5 +02:00'", "2024-01-02T01:04:05.500+00:00"],
    ["'2024-01-02T03:04:05.123999+00:00'", "2024-01-02T03:04:05.123+00:00"],
    ["'2024-01-02'", "2024-01-02T00:00:00.000+00:00"],
    ["1704164645678", "2024-01-02T03:04:05.678+00:00"],
    ["'now'", "now"],
    ["'12:00:00'", "12:00:00"],
    ["x'01'", expect.anything()],
  ];
  for (const [stored] of times) await query(`INSERT INTO Item (at) VALUES (${stored})`);
  await query("INSERT INTO Other (at) VALUES ('2024-01-02 03:04:05')");
  const schema = schemaOf(
    `at DateTime @default(now())\n  bytes Bytes @default("SGVsbG8=")\n  data Json @default("{\\"bb\\": 1, \\"a\\": 2}")\n  @@index([at])`,
    "model Other {\n  id Int @id @default(autoincrement())\n  at DateTime\n}",
  );
  expect(await outdatedDefaults(url)).toEqual(["Item.at", "Item.bytes", "Item.data"]);
  const made = await migrate(schema);
  expect(made).toMatchObject({ warnings: [], sql: expect.not.stringContaining("Other") });
  expect(await query("SELECT at FROM Item ORDER BY id")).toEqual(times.map(([, repaired]) => repaired));
  expect(await query("SELECT DISTINCT hex(bytes), typeof(bytes), data FROM Item")).toEqual([
    "48656C6C6F",
    "blob",
    '{"a":2,"bb":1}',
  ]);
  expect(await query("SELECT at FROM Other")).toEqual(["2024-01-02 03:04:05"]);
  expect(await query("SELECT name FROM sqlite_master WHERE name = 'Item_at_idx'")).toHaveLength(1);
  expect(await outdatedDefaults(url)).toEqual([]);
  expect(await migrate(schema)).toEqual(unchanged);
});

it.each([["exact"], ["previous"]])("C139 a baseline of %s defaults matches the tables", async (form) => {
  const schema = schemaOf('at DateTime @default(now())\n  bytes Bytes @default("SGVsbG8=")');
  if (form === "exact") await pushSchema(url, schema);
  else
    await query(
      `CREATE TABLE "Item" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "at" DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP, "bytes" BLOB NOT NULL DEFAULT '48656c6c6f')`,
    );
  await query("INSERT INTO Item (id) VALUES (1)");
  const { schema: read } = await introspectDatabase(url);
  expect(read).toMatch(/at +DateTime +@default\(now\(\)\)/);
  await baselineDatabase({ url, schema, directory });
  const made = await migrate(schema);
  if (form === "previous") expect(made.status).toBe("created");
  expect(await query("SELECT at, typeof(bytes) FROM Item")).toEqual([expect.stringMatching(exactMoment), "blob"]);
  expect(await migrate(schema)).toEqual(unchanged);
});

const tables = `CREATE TABLE "Owner" ("id" INTEGER NOT NULL PRIMARY KEY);
CREATE TABLE "Item" ("code" TEXT NOT NULL PRIMARY KEY, "ownerId" INTEGER, CONSTRAINT "f" FOREIGN KEY ("ownerId") REFERENCES "Owner" ("id"));
INSERT INTO "Owner" VALUES (1), (2);
INSERT INTO "Item" VALUES ('a', 1), ('b', 2), ('c', 2);`;

it("C139 a script that leaves rows without the ones that they refer to is rolled back, with the table and the row", async () => {
  await apply("1_init", tables);
  await expect(apply("2_delete", 'DELETE FROM "Owner" WHERE "id" = 2;')).rejects.toThrow(
    "The migration 2_delete failed: The row of Item with code b would refer by ownerId to a row of Owner that does not exist, and 1 more such row. Foreign keys are off in migrations of SQLite: delete or change these rows in the script too.",
  );
  expect(await query("SELECT count(*) FROM Owner")).toEqual(["2"]);
  await query("DELETE FROM _prisma_migrations WHERE finished_at IS NULL");
  await apply(
    "2_delete",
    'DELETE FROM "Owner" WHERE "id" = 2; UPDATE "Item" SET "ownerId" = NULL WHERE "ownerId" = 2;',
  );
  expect(await query("SELECT count(*) FROM Owner")).toEqual(["1"]);
});

it("C139 a script may leave rows as they were before", async () => {
  await apply("1_init", tables);
  await onSqlite(url, async (adapter) => {
    await adapter.queryRaw({ sql: "PRAGMA foreign_keys = OFF", args: [], argTypes: [] });
    await adapter.queryRaw({ sql: "DELETE FROM Owner WHERE id = 2", args: [], argTypes: [] });
  });
  await apply(
    "2_again",
    `CREATE TABLE "new_Item" ("code" TEXT NOT NULL PRIMARY KEY, "ownerId" INTEGER, "note" TEXT, CONSTRAINT "f" FOREIGN KEY ("ownerId") REFERENCES "Owner" ("id"));
INSERT INTO "new_Item" ("code", "ownerId") SELECT "code", "ownerId" FROM "Item" ORDER BY "code" DESC;
DROP TABLE "Item";
ALTER TABLE "new_Item" RENAME TO "Item";`,
  );
  expect(await query("SELECT code FROM Item ORDER BY code")).toEqual(["a", "b", "c"]);
});
