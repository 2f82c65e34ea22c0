import fs from "node:fs";
import path from "node:path";
import { applyMigrations } from "./apply-migrations.js";
import { MigrationError } from "./migration-error.js";
import { migrationName } from "./migration-name.js";
import { allTables, lockFile, migrationFile, readMigrations } from "./read-migrations.js";
import { readSchema, type SchemaSource } from "./read-schema.js";
import { withSchemaEngine } from "./with-schema-engine.js";

/** Options of `createMigration`. */
export interface CreateMigrationOptions {
  /** The development database; its user must be allowed to create databases. */
  readonly url: string;
  /** The schema that the migrations shall lead to. */
  readonly schema: SchemaSource;
  /** The folder of the migrations; made when it is not there. */
  readonly directory: string;
  /** A few words, such as "add author to post"; they become the end of the folder's name. */
  readonly name: string;
  /**
   * Apply the new migration at once.
   * @default false
   */
  readonly apply?: boolean;
}

/** What came of it: a migration, or nothing because the schema is the one that the migrations lead to already. */
export type CreateMigrationResult =
  | { readonly status: "unchanged" }
  | {
      readonly status: "created";
      /** `<timestamp>_<name>`: the folder. */
      readonly name: string;
      /** The absolute path of the new `migration.sql`. */
      readonly file: string;
      readonly sql: string;
      /** What would be lost or fail with the data that are in the database now; whole sentences. */
      readonly warnings: readonly string[];
    };

/**
 * Writes the migration that leads from the migrations so far to the schema: `prisma migrate dev --create-only`. Like it,
 * it first applies what the database does not have yet. The difference is found in a shadow database, which is gone
 * afterwards in any case.
 *
 * @throws MigrationError when the database has gone another way than its migrations, when the schema is not valid, or,
 * with `apply`, when a step cannot be done with the data in the database.
 */
export async function createMigration(options: CreateMigrationOptions): Promise<CreateMigrationResult> {
  const { url, directory, apply = false } = options;
  const schema = readSchema(options.schema);
  fs.mkdirSync(directory, { recursive: true });
  await applyMigrations(url, directory);
  const migrationsList = readMigrations(directory);

  const { script, warnings, impossible } = await withSchemaEngine(url, async (engine) => {
    // The engine has a shadow database only after this call.
    const { action } = await engine.devDiagnostic({ migrationsList, filters: allTables });
    if (action.tag === "reset") throw new MigrationError(`The database must be reset first. ${action.reason.trim()}`);
    const loss = await engine.evaluateDataLoss({ migrationsList, schema, filters: allTables });
    const draft = { draft: false, migrationName: "", migrationsList, schema, filters: allTables };
    const { migrationScript } = await engine.createMigration(draft);
    const impossible = loss.unexecutableSteps.map(({ message }) => message);
    return { script: migrationScript, impossible, warnings: loss.warnings.map(({ message }) => message) };
  });

  if (script === null) return { status: "unchanged" };
  if (apply && impossible.length > 0) throw new MigrationError(impossible.join("\n"));
  const name = migrationName(options.name, migrationsList.migrationDirectories.at(-1)?.path);
  const file = path.join(migrationsList.baseDir, name, migrationFile);
  fs.mkdirSync(path.dirname(file));
  fs.writeFileSync(file, script);
  const lock = path.join(migrationsList.baseDir, lockFile);
  if (!fs.existsSync(lock)) fs.writeFileSync(lock, 'provider = "postgresql"\n');
  if (apply) await applyMigrations(url, directory);
  return { status: "created", name, file, sql: script, warnings: [...impossible, ...warnings] };
}
