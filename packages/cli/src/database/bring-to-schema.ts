import fs from "node:fs";
import path from "node:path";
import { commandError } from "../command-error.js";
import type { Project } from "../project/project.js";
import { loadDatabaseLibrary } from "./library.js";

/** A migration that would update a database to its schema. */
export interface ProposedMigration {
  readonly name: string;
  readonly sql: string;
  /** Data that would be lost, and steps that fail with the existing rows. */
  readonly warnings: readonly string[];
  /** Whether it is the first one, of a database without tables. */
  readonly isFirst: boolean;
}

/** The result. */
export interface SchemaChange {
  /** The applied migrations. */
  readonly applied: readonly string[];
  /** Whether the database had no migrations before. */
  readonly isNew: boolean;
  /** Whether the migration was declined: the database does not match the schema. */
  readonly isDeclined: boolean;
}

/**
 * Updates a database to the schema: applies existing migrations, then creates a new one for the remaining changes.
 *
 * @param approve called for each new migration; a declined one is deleted
 * @throws {CommandError} with the error of the database or the schema
 */
export async function bringToSchema(
  url: string,
  { schema = "", migrations }: Project,
  approve: (migration: ProposedMigration) => boolean | Promise<boolean>,
): Promise<SchemaChange> {
  const library = await loadDatabaseLibrary("migrations");
  const before = migrationsIn(migrations);
  try {
    const { applied: known } = await library.migrationStatus(url, migrations);
    const isNew = known.length === 0;
    const pending = before.length === 0 ? [] : await library.applyMigrations(url, migrations);
    const source = fs.statSync(schema).isDirectory() ? { directory: schema } : fs.readFileSync(schema, "utf8");
    const created = await library.createMigration({ url, schema: source, directory: migrations, name: "change" });
    if (created.status === "unchanged") return { applied: pending, isNew, isDeclined: false };
    const isFirst = before.length === 0;
    const name = rename(created.file, isFirst ? "init" : wordsOf(created.sql));
    const { sql, warnings } = created;
    let isApplying = false;
    try {
      isApplying = await approve({ name, sql, warnings, isFirst });
      if (isApplying)
        return { applied: [...pending, ...(await library.applyMigrations(url, migrations))], isNew, isDeclined: false };
      takeBack(migrations, name);
      return { applied: pending, isNew, isDeclined: true };
    } catch (error) {
      takeBack(migrations, name);
      // It was one transaction, so nothing of it was applied. The failure record would block every later migration.
      if (isApplying) await library.forgetFailedMigration(url, name);
      throw error;
    }
  } catch (error) {
    if (error instanceof library.MigrationError || error instanceof TypeError)
      throw commandError("the database", error.message);
    throw error;
  }
}

/** The names of the migrations in a folder. */
export function migrationsIn(folder: string): string[] {
  if (!fs.existsSync(folder)) return [];
  const entries = fs.readdirSync(folder, { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isDirectory() ? entry.name : [])).sort();
}

/** Names a new migration by its contents. */
function rename(file: string, words: string): string {
  const folder = path.dirname(file);
  const name = `${path.basename(folder).split("_", 1)[0]}_${words}`;
  fs.renameSync(folder, path.join(path.dirname(folder), name));
  return name;
}

/** The tables of a script, as words of a name. */
function wordsOf(sql: string): string {
  const tables = [...sql.matchAll(/^(?:CREATE|ALTER|DROP) (?:TABLE|TYPE) "([^"]+)"/gm)].map(([, table = ""]) => table);
  const words = [...new Set(tables)].slice(0, 3).join("_").replaceAll(/\W+/g, "_").toLowerCase();
  return words === "" ? "change" : `change_${words}`;
}

function takeBack(folder: string, name: string): void {
  fs.rmSync(path.join(folder, name), { recursive: true, force: true });
  // A folder that was created for it alone.
  if (migrationsIn(folder).length === 0) fs.rmSync(folder, { recursive: true, force: true });
}
