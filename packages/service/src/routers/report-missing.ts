import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import type { Database } from "@servicekit/prisma";

/** Enough names to recognize the problem. */
const maxNames = 10;

/** Logs the missing tables of the database, and the migrations that would create them (contract C41). */
export async function reportMissing(tables: readonly string[], database: Database, root: string): Promise<string> {
  const applied = await database.appliedMigrations();
  const pending = migrationsIn(path.join(root, "prisma", "migrations")).filter((name) => !applied.has(name));
  const why =
    pending.length === 0
      ? "a migration is missing"
      : `${pending.length} migration${pending.length === 1 ? " is" : "s are"} pending: ${list(pending)}`;
  return `The database does not have ${list(tables)}: ${why}. ${hint}`;
}

const hint = "Apply the migrations with `npx service migrate deploy`; in development, `service dev` applies them.";

function list(names: readonly string[]): string {
  const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : "";
  return names.slice(0, maxNames).join(", ") + more;
}

/** The names of the migrations in Prisma's folder, in order; none without a folder. */
function migrationsIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const found = readdirSync(folder, { withFileTypes: true });
  return found.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
}
