import { allTables, readMigrations, requireMigrations } from "./read-migrations.js";
import { withSchemaEngine } from "./with-schema-engine.js";

export interface ApplyMigrationsOptions {
  /** Gets a line for each applied migration. */
  readonly log?: (line: string) => void;
}

/**
 * Applies the migrations that the database does not have yet, in the order of their names: `prisma migrate deploy`.
 * Several processes may do so at once; each migration is applied once.
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
  const { appliedMigrationNames } = await withSchemaEngine(url, (engine) =>
    engine.applyMigrations({ migrationsList, filters: allTables }),
  );
  for (const name of appliedMigrationNames) log?.(`Applied migration ${name}.`);
  return appliedMigrationNames;
}
