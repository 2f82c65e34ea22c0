import { withMigrationLock } from "./migration-lock.js";
import { allTables, readMigrations, requireMigrations } from "./read-migrations.js";
import { withSchemaEngine } from "./with-schema-engine.js";

/** Options of `applyMigrations`. */
export interface ApplyMigrationsOptions {
  /** Gets a line for each applied migration. */
  readonly log?: (line: string) => void;
}

/**
 * Applies the migrations that the database does not have yet, in the order of their names: `prisma migrate deploy`.
 * Several processes may do so at once: each migration is applied once, and all of them end when the last one is in the
 * database. The URL must lead to PostgreSQL itself: a pooler that shares sessions cannot hold a lock.
 *
 * @returns the names of those applied now.
 * @throws MigrationError which names the migration that failed and gives the database's message.
 */
export async function applyMigrations(
  url: string,
  directory: string,
  { log }: ApplyMigrationsOptions = {},
): Promise<string[]> {
  requireMigrations(directory);
  const migrationsList = readMigrations(directory);
  const apply = () => withSchemaEngine(url, (engine) => engine.applyMigrations({ migrationsList, filters: allTables }));
  const { appliedMigrationNames } = await withMigrationLock(url, apply, () =>
    log?.("Another process applies migrations: waiting for it."),
  );
  for (const name of appliedMigrationNames) log?.(`Applied migration ${name}.`);
  return appliedMigrationNames;
}
