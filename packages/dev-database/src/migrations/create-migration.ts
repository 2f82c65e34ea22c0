import fs from "node:fs";
import type { SchemaEngine } from "@prisma/schema-engine-wasm/schema_engine_bg";
import { requireSchemaEngine } from "../databases/database-url.js";
import { isSqliteUrl } from "../databases/is-sqlite-url.js";
import { applyMigrations } from "./apply-migrations.js";
import { columnChanges, type GeneratedColumn, generateColumns } from "./generated-columns.js";
import { type ExpressionIndex, indexChanges } from "./index-changes.js";
import { MigrationError } from "./migration-error.js";
import { onSqlite } from "./on-sqlite.js";
import { allTables, migrationProvider, readMigrations } from "./read-migrations.js";
import { readSchema, type SchemaSource } from "./read-schema.js";
import { withPostgresRenames } from "./renames/postgres-renames.js";
import { withSqliteRenames } from "./renames/sqlite-renames.js";
import { tablesToMakeAgain } from "./sqlite/column-definitions.js";
import { exactScript } from "./sqlite/exact-script.js";
import { withSchemaEngine } from "./with-schema-engine.js";
import { writeMigrationFile } from "./write-migration-file.js";

/** Options of `createMigration`. */
export interface CreateMigrationOptions {
  /** The development database; a user of PostgreSQL must be allowed to create databases. */
  readonly url: string;
  /** The target schema of the migrations. */
  readonly schema: SchemaSource;
  /** The folder of the migrations; created if it does not exist. */
  readonly directory: string;
  /** A short description, such as "add author to post"; it becomes the end of the folder's name. */
  readonly name: string;
  /**
   * Whether to apply the new migration.
   * @default false
   */
  readonly apply?: boolean;
  /**
   * Indexes that a Prisma schema cannot express, such as those of expressions. The migration creates the missing ones and drops
   * those of earlier migrations that are not among them. By default they are not compared.
   */
  readonly indexes?: readonly ExpressionIndex[] | undefined;
  /** Columns of the schema whose values PostgreSQL computes, which a Prisma schema cannot express. */
  readonly generatedColumns?: readonly GeneratedColumn[] | undefined;
}

/** The result: a migration, or none because the migrations already match the schema. */
export type CreateMigrationResult =
  | { readonly status: "unchanged" }
  | {
      readonly status: "created";
      /** `<timestamp>_<name>`: the name of the folder. */
      readonly name: string;
      /** The absolute path of the new `migration.sql`. */
      readonly file: string;
      readonly sql: string;
      /** The same script with the statements of probable renames as comments, to be edited. */
      readonly editableSql: string;
      /** What would be lost or fail with the current data; full sentences. */
      readonly warnings: readonly string[];
      /** The warnings about steps that fail with the current data. */
      readonly impossible: readonly string[];
    };

/**
 * Creates the migration from the existing migrations to the schema: `prisma migrate dev --create-only`. Like it, it
 * first applies pending migrations. The difference is computed with a shadow database, which is always deleted
 * afterwards.
 *
 * @throws MigrationError if the database differs from its migrations, if the schema is invalid, or, with `apply`, if a
 * step fails with the data in the database.
 */
export async function createMigration(options: CreateMigrationOptions): Promise<CreateMigrationResult> {
  const { url, directory, apply = false } = options;
  requireSchemaEngine(url, `npx prisma migrate dev --create-only --name ${options.name.replaceAll(/\W+/g, "_")}`);
  const schema = readSchema(options.schema);
  fs.mkdirSync(directory, { recursive: true });
  await applyMigrations(url, directory);
  const migrationsList = readMigrations(directory);

  const compare = async (engine: SchemaEngine) => {
    // The engine has a shadow database only after this call.
    const { action } = await engine.devDiagnostic({ migrationsList, filters: allTables });
    if (action.tag === "reset") throw new MigrationError(`The database must be reset first. ${action.reason.trim()}`);
    const loss = await engine.evaluateDataLoss({ migrationsList, schema, filters: allTables });
    const draft = { draft: false, migrationName: "", migrationsList, schema, filters: allTables };
    const { migrationScript } = await engine.createMigration(draft);
    const impossible = loss.unexecutableSteps.map(({ message }) => message);
    return { script: migrationScript, impossible, warnings: loss.warnings.map(({ message }) => message) };
  };
  const first = await withSchemaEngine(url, compare, { hidesOutdatedDefaults: true });
  const remadeTables = isSqliteUrl(url) ? tablesToMakeAgain(first.script ?? "") : new Set<string>();
  const {
    script: prismaScript,
    warnings,
    impossible,
  } = remadeTables.size === 0
    ? first
    : await withSchemaEngine(url, compare, { hidesOutdatedDefaults: true, remadeTables });

  const generated = generateColumns(prismaScript ?? "", options.generatedColumns ?? []);
  const isSqlite = isSqliteUrl(url);
  const columns = isSqlite ? { drops: "", additions: "" } : await columnChanges(url, generated.others);
  const indexes = isSqlite || options.indexes === undefined ? "" : await indexChanges(url, options.indexes);
  const parts = [columns.drops, generated.script, columns.additions, indexes];
  const joined = parts.filter((part) => part !== "").join("\n");
  const script = isSqlite ? await onSqlite(url, (adapter) => exactScript(adapter, joined)) : joined;
  if (script === "") return { status: "unchanged" };
  if (apply && impossible.length > 0) throw new MigrationError(impossible.join("\n"));
  const editableSql = await (isSqlite ? withSqliteRenames : withPostgresRenames)(url, script);
  const written = writeMigrationFile({ provider: migrationProvider(url), directory, name: options.name, sql: script });
  if (apply) await applyMigrations(url, directory);
  return {
    status: "created",
    ...written,
    sql: script,
    editableSql,
    warnings: [...impossible, ...warnings],
    impossible,
  };
}
