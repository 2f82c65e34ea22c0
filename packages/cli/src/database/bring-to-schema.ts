import fs from "node:fs";
import path from "node:path";
import { fault } from "../command-error.js";
import type { Project } from "../project/project.js";
import { loadDatabaseLibrary } from "./library.js";

/** A migration that would bring a database to its schema. */
export interface ProposedMigration {
  readonly name: string;
  readonly sql: string;
  /** What would be lost, or cannot be done, with the rows that are there. */
  readonly warnings: readonly string[];
  /** Whether it is the first one, of a database without tables. */
  readonly isFirst: boolean;
}

/** What came of it. */
export interface SchemaChange {
  /** The migrations that the database has got now. */
  readonly applied: readonly string[];
  /** Whether the database was without any before. */
  readonly isNew: boolean;
  /** Whether somebody did not want the migration: the database is not at the schema. */
  readonly isDeclined: boolean;
}

/**
 * Brings a database to the schema: what other people's migrations say first, then a new migration for what the schema says
 * beyond them.
 *
 * @param approve asked for each new migration; where it says no, nothing of it stays
 * @throws {CommandError} with what the database, or the schema, says against it
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
      // One transaction: nothing of it is there. The mark that it failed would stop every later one.
      if (isApplying) await library.forgetFailedMigration(url, name);
      throw error;
    }
  } catch (error) {
    if (error instanceof library.MigrationError || error instanceof TypeError)
      throw fault("the database", error.message);
    throw error;
  }
}

/** The names of the migrations of a folder. */
export function migrationsIn(folder: string): string[] {
  if (!fs.existsSync(folder)) return [];
  const entries = fs.readdirSync(folder, { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isDirectory() ? entry.name : [])).sort();
}

/** Gives a new migration a name that says what it is about. */
function rename(file: string, words: string): string {
  const folder = path.dirname(file);
  const name = `${path.basename(folder).split("_", 1)[0]}_${words}`;
  fs.renameSync(folder, path.join(path.dirname(folder), name));
  return name;
}

/** The tables that a script is about, as words of a name. */
function wordsOf(sql: string): string {
  const tables = [...sql.matchAll(/^(?:CREATE|ALTER|DROP) (?:TABLE|TYPE) "([^"]+)"/gm)].map(([, table = ""]) => table);
  const words = [...new Set(tables)].slice(0, 3).join("_").replaceAll(/\W+/g, "_").toLowerCase();
  return words === "" ? "change" : `change_${words}`;
}

function takeBack(folder: string, name: string): void {
  fs.rmSync(path.join(folder, name), { recursive: true, force: true });
  // A folder that was made for it alone.
  if (migrationsIn(folder).length === 0) fs.rmSync(folder, { recursive: true, force: true });
}
