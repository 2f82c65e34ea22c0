import fs from "node:fs";
import path from "node:path";
import { commandError } from "../command-error.js";
import type { Project } from "../project/project.js";
import { type DatabaseLibrary, loadDatabaseLibrary } from "./library.js";
import { needsEdit, prepareEdit } from "./prepare-edit.js";

/** A migration that would update a database to its schema. */
export interface ProposedMigration {
  readonly name: string;
  readonly sql: string;
  /** Data that would be lost, and steps that fail with the existing rows. */
  readonly warnings: readonly string[];
  /** Those of the warnings that are about steps that fail. */
  readonly impossible: readonly string[];
  /** Whether it is the first one, of a database without tables. */
  readonly isFirst: boolean;
}

/** What happens to a proposed migration: `edit` writes it without applying it, `reset` deletes all data first. */
export type Decision = "apply" | "decline" | "edit" | "reset";

/** The result. */
export interface SchemaChange {
  /** The applied migrations. */
  readonly applied: readonly string[];
  /** Whether the database had no migrations before. */
  readonly isNew: boolean;
  /** Whether the migration was declined: the database does not match the schema. */
  readonly isDeclined: boolean;
  /** Whether the database has tables and no migrations: other tools change it, so it is not compared with the schema. */
  readonly isUnmanaged?: true;
  /** Whether the database did not exist. */
  readonly isCreated?: true;
  /** The script that must be edited before it is applied. */
  readonly edited?: string;
}

/** Decides about a new migration. */
type Approve = (migration: ProposedMigration) => Decision | Promise<Decision>;

/**
 * Updates a database to the schema: creates it if it does not exist, applies existing migrations, then creates a new
 * one for the remaining changes.
 *
 * @param approve called for each new migration; a declined one is deleted
 * @throws {CommandError} with the error of the database or the schema
 */
export async function bringToSchema(url: string, project: Project, approve: Approve): Promise<SchemaChange> {
  const library = await loadDatabaseLibrary("migrations");
  const isCreated = await library.createMissingDatabase(url).catch((error: unknown) => {
    const isKnown = error instanceof library.MigrationError || error instanceof TypeError;
    throw isKnown ? commandError("the database", error.message) : error;
  });
  const change = await updateToSchema(library, url, project, approve);
  return isCreated ? { ...change, isCreated } : change;
}

async function updateToSchema(
  library: DatabaseLibrary,
  url: string,
  { schema = "", migrations }: Project,
  approve: Approve,
): Promise<SchemaChange> {
  const before = migrationsIn(migrations);
  try {
    const { applied: known } = await library.migrationStatus(url, migrations);
    const isNew = known.length === 0;
    requireEdited(migrations, "press r");
    const pending = before.length === 0 ? [] : await applyPending(library, url, migrations);
    const source = fs.statSync(schema).isDirectory() ? { directory: schema } : fs.readFileSync(schema, "utf8");
    const created = await library.createMigration({ url, schema: source, directory: migrations, name: "change" });
    if (created.status === "unchanged") return { applied: pending, isNew, isDeclined: false };
    const isFirst = before.length === 0;
    const name = rename(created.file, isFirst ? "init" : wordsOf(created.sql));
    const { sql, warnings, impossible } = created;
    let isApplying = false;
    try {
      const decision = await approve({ name, sql, warnings, impossible, isFirst });
      if (decision === "edit") {
        const edited = path.join(migrations, name, "migration.sql");
        fs.writeFileSync(edited, prepareEdit(created.editableSql, url));
        return { applied: pending, isNew, isDeclined: true, edited };
      }
      if (decision === "reset")
        return { applied: await library.resetDatabase(url, migrations), isNew: true, isDeclined: false };
      isApplying = decision === "apply";
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
    if (error instanceof library.MigrationError && error.code === notEmpty && before.length === 0) {
      removeEmptyFolder(migrations);
      return unmanaged;
    }
    if (error instanceof library.MigrationError || error instanceof TypeError)
      throw commandError("the database", error.message);
    throw error;
  }
}

/**
 * Applies the existing migrations to MySQL or MariaDB, after creating a missing database. The tables are not compared
 * with the schema, and no migration is created: Prisma's schema engine for Node.js does not support MySQL.
 *
 * @throws {CommandError} with the error of the database
 */
export async function applyExisting(url: string, { migrations }: Project): Promise<SchemaChange> {
  const library = await loadDatabaseLibrary("migrations");
  try {
    const created = (await library.createMissingDatabase(url)) ? { isCreated: true as const } : {};
    if (migrationsIn(migrations).length === 0) return { applied: [], isNew: false, isDeclined: false, ...created };
    requireEdited(migrations, "press r");
    const { applied: known } = await library.migrationStatus(url, migrations);
    const applied = await library.applyMigrations(url, migrations);
    return { applied, isNew: known.length === 0, isDeclined: false, ...created };
  } catch (error) {
    if (!(error instanceof library.MigrationError || error instanceof TypeError)) throw error;
    if (error instanceof library.MigrationError && error.code === notEmpty) return unmanaged;
    throw commandError("the database", error.message);
  }
}

/** Prisma's code for a database that is not empty and has no table of migrations. */
const notEmpty = "P3005";
const unmanaged: SchemaChange = { applied: [], isNew: false, isDeclined: false, isUnmanaged: true };

/** A failed migration is applied again after it was edited: it was one transaction, so nothing of it was applied. */
async function applyPending(library: DatabaseLibrary, url: string, migrations: string): Promise<readonly string[]> {
  try {
    return await library.applyMigrations(url, migrations);
  } catch (error) {
    const isNew = error instanceof library.MigrationError && error.code !== "P3009";
    if (isNew && error.migration !== undefined) await library.forgetFailedMigration(url, error.migration);
    throw error;
  }
}

/**
 * @param next what applies the migration then
 * @throws {CommandError} if a migration still has to be edited
 */
export function requireEdited(folder: string, next: string): void {
  const isUnedited = (file: string): boolean => fs.existsSync(file) && needsEdit(fs.readFileSync(file, "utf8"));
  const unedited = migrationsIn(folder)
    .map((name) => path.join(folder, name, "migration.sql"))
    .find(isUnedited);
  if (unedited === undefined) return;
  throw commandError(unedited, `Edit the script and remove its first line, or delete its folder. Then ${next}.`);
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
  removeEmptyFolder(folder);
}

/** A folder that was created for one migration alone. */
function removeEmptyFolder(folder: string): void {
  if (migrationsIn(folder).length === 0) fs.rmSync(folder, { recursive: true, force: true });
}
