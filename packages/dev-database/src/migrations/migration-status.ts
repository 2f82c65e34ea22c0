import { allTables, readMigrations } from "./read-migrations.js";
import { withSchemaEngine } from "./with-schema-engine.js";

/** Names of migrations, each list in order; a migration can be `applied` and `edited` at once. */
export interface MigrationStatus {
  /** Finished in the database and there in the folder. */
  readonly applied: readonly string[];
  /** In the folder, not yet in the database. */
  readonly pending: readonly string[];
  /** Begun in the database and not finished; nothing is applied until it is resolved. */
  readonly failed: readonly string[];
  /** Changed in the folder since the database got it. */
  readonly edited: readonly string[];
  /** Finished in the database, not (any more) in the folder. */
  readonly missing: readonly string[];
}

/** Compares a database with a folder of migrations; changes nothing. */
export async function migrationStatus(url: string, directory: string): Promise<MigrationStatus> {
  const migrationsList = readMigrations(directory);
  const { failedMigrationNames, editedMigrationNames, history } = await withSchemaEngine(url, (engine) =>
    engine.diagnoseMigrationHistory({ migrationsList, optInToShadowDatabase: false, filters: allTables }),
  );
  const failed = new Set(failedMigrationNames);
  const unapplied = new Set(
    history !== null && "unappliedMigrationNames" in history ? history.unappliedMigrationNames : [],
  );
  const missing = history !== null && "unpersistedMigrationNames" in history ? history.unpersistedMigrationNames : [];
  const names = migrationsList.migrationDirectories.map(({ path }) => path);
  return {
    applied: names.filter((name) => !unapplied.has(name) && !failed.has(name)),
    pending: names.filter((name) => unapplied.has(name) && !failed.has(name)),
    failed: failedMigrationNames,
    edited: editedMigrationNames,
    missing,
  };
}
