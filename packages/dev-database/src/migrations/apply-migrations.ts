import { isMysqlUrl } from "@servicekit/core/internal";
import { applyMysqlMigrations } from "./apply-mysql-migrations.js";
import { withMigrationLock } from "./migration-lock.js";
import { allTables, readMigrations, requireMigrations } from "./read-migrations.js";
import { withSchemaEngine } from "./with-schema-engine.js";

/** Options of `applyMigrations`. */
export interface ApplyMigrationsOptions {
  /** Called with a line for each applied migration. */
  readonly log?: (line: string) => void;
}

/**
 * Applies the pending migrations in the order of their names: `prisma migrate deploy`. Several processes may run it
 * concurrently: each migration is applied once, and all of them return after the last one. The URL must lead to
 * the server itself, because a pooler that shares sessions does not support locks. The records are those of Prisma, so that
 * its command line and this function can be used on the same database.
 *
 * @returns the names of the applied migrations.
 * @throws MigrationError with the name of the failed migration and the database's message.
 */
export async function applyMigrations(
  url: string,
  directory: string,
  { log }: ApplyMigrationsOptions = {},
): Promise<string[]> {
  requireMigrations(directory);
  const migrationsList = readMigrations(directory);
  const apply = async (): Promise<string[]> => {
    if (isMysqlUrl(url)) return applyMysqlMigrations(url, migrationsList);
    const run = withSchemaEngine(url, (engine) => engine.applyMigrations({ migrationsList, filters: allTables }));
    return (await run).appliedMigrationNames;
  };
  const applied = await withMigrationLock(url, apply, () =>
    log?.("Another process is applying migrations: waiting for it."),
  );
  for (const name of applied) log?.(`Applied migration ${name}.`);
  return applied;
}
