import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { pushSchema } from "../../packages/dev-database/src/index.js";
import { onSqlite } from "../../packages/dev-database/src/migrations/on-sqlite.js";

/** An SQLite database in a temporary folder, with the tables of a Prisma schema. */
export interface SqliteDatabase {
  readonly url: string;
  readonly file: string;
  /** Deletes its files. */
  drop(): void;
}

/** @param schema the file of the schema */
export async function createSqliteDatabase(schema: string): Promise<SqliteDatabase> {
  const created = createEmptySqliteFile();
  await pushSchema(created.url, fs.readFileSync(schema, "utf8"));
  return created;
}

/** The place of a database that is created with its first table. */
export function createEmptySqliteFile(): SqliteDatabase {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-sqlite-"));
  const file = path.join(folder, "test.db");
  return { url: `file:${file}`, file, drop: () => fs.rmSync(folder, { recursive: true, force: true }) };
}

/** Deletes all rows of tables, and restarts the ids of all tables. */
export async function emptySqlite(url: string, tables: readonly string[]): Promise<void> {
  const deletions = [...tables, "sqlite_sequence"].map((table) => `DELETE FROM "${table}";`);
  // A migration script may not leave rows that refer to deleted ones.
  const sql = ["PRAGMA foreign_keys = OFF;", ...deletions].join("\n");
  await onSqlite(url, (adapter) => adapter.executeRaw({ sql, args: [], argTypes: [] }));
}
