import fs from "node:fs";
import path from "node:path";
import { requireSchemaEngine } from "../databases/database-url.js";
import { isSqliteUrl } from "../databases/is-sqlite-url.js";
import { MigrationError } from "./migration-error.js";
import { onSqlite } from "./on-sqlite.js";
import { allTables, lockFile, lockText, migrationFile, migrationProvider, readMigrations } from "./read-migrations.js";
import { readSchema, type SchemaSource } from "./read-schema.js";
import { exactDefaults } from "./sqlite/exact-script.js";
import { findOutdatedDefaults } from "./sqlite/outdated-defaults.js";
import { createHistory } from "./sqlite-history.js";
import { withSchemaEngine } from "./with-schema-engine.js";

/** Options of `baselineDatabase`. */
export interface BaselineOptions {
  /** A database whose tables match the schema. */
  readonly url: string;
  readonly schema: SchemaSource;
  /** The folder of the migrations, which has none yet; created if it does not exist. */
  readonly directory: string;
}

/** The name of the first migration; it precedes every timestamp. */
const name = "0_init";

/**
 * Writes a first migration with the complete schema, and records it as applied without running it: for a database that was
 * created without migrations. The tables are not compared with the schema.
 *
 * @returns the absolute path of the new `migration.sql`
 * @throws MigrationError if the folder already has migrations, or if the schema is invalid
 */
export async function baselineDatabase({ url, schema, directory }: BaselineOptions): Promise<string> {
  requireSchemaEngine(url, `npx prisma migrate diff, and npx prisma migrate resolve --applied ${name},`);
  if (readMigrations(directory).migrationDirectories.length > 0) {
    throw new MigrationError(`The folder ${directory} already has migrations.`);
  }
  const target = { tag: "schemaDatamodel", ...readSchema(schema) } as const;
  const folder = path.join(path.resolve(directory), name);
  const file = path.join(folder, migrationFile);
  const isSqlite = isSqliteUrl(url);
  if (isSqlite) await createHistory(url);
  try {
    await withSchemaEngine(url, async (engine) => {
      const { stdout } = await engine.diff({
        from: { tag: "empty" },
        to: target,
        script: true,
        exitCode: null,
        filters: allTables,
      });
      fs.mkdirSync(folder, { recursive: true });
      fs.writeFileSync(file, isSqlite ? await withDefaultsOf(url, stdout ?? "") : (stdout ?? ""));
      fs.writeFileSync(path.join(path.dirname(folder), lockFile), lockText(migrationProvider(url)));
      await engine.markMigrationApplied({ migrationName: name, migrationsList: readMigrations(directory) });
    });
  } catch (error) {
    fs.rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  return file;
}

/** The script with the defaults that the tables have: the next migration changes those that the service cannot compare. */
async function withDefaultsOf(url: string, script: string): Promise<string> {
  const outdated = await onSqlite(url, findOutdatedDefaults);
  const isExact = (table: string, column: string): boolean =>
    !outdated.some((one) => one.table === table && one.column === column);
  return exactDefaults(script, ({ table, column }) => isExact(table, column));
}
