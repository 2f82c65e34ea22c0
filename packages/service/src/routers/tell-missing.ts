import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import type { Database } from "@servicekit/prisma";

/** So many names are enough to see what is wrong. */
const mostNames = 10;

/** Says which tables the database does not have, and which migrations would make them (contract C41). */
export async function tellMissing(tables: readonly string[], database: Database, root: string): Promise<string> {
  const applied = await database.appliedMigrations();
  const pending = migrationsIn(path.join(root, "prisma", "migrations")).filter((name) => !applied.has(name));
  const why =
    pending.length === 0
      ? "a migration is missing"
      : `${pending.length} migration${pending.length === 1 ? " is" : "s are"} pending: ${list(pending)}`;
  return `The database has no ${list(tables)}: ${why}. ${remedy}`;
}

const remedy = "Apply the migrations by `service migrate deploy`; in development `service dev` does it.";

function list(names: readonly string[]): string {
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : "";
  return names.slice(0, mostNames).join(", ") + more;
}

/** The names of the migrations in Prisma's folder, in order; none where there is no such folder. */
function migrationsIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const found = readdirSync(folder, { withFileTypes: true });
  return found.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
}
