import { isMysqlUrl } from "@servicekit/core/internal";
import { isSqliteUrl } from "../databases/is-sqlite-url.js";
import { mysqlStatus } from "./mysql-status.js";
import { allTables, readMigrations } from "./read-migrations.js";
import { hasHistory } from "./sqlite-history.js";
import { withSchemaEngine } from "./with-schema-engine.js";

/** Names of migrations, sorted; a migration can be `applied` and `edited`. */
export interface MigrationStatus {
  /** Applied in the database and present in the folder. */
  readonly applied: readonly string[];
  /** In the folder, not yet in the database. */
  readonly pending: readonly string[];
  /** Started in the database and not completed; nothing is applied until this is resolved. */
  readonly failed: readonly string[];
  /** Changed in the folder after it was applied. */
  readonly edited: readonly string[];
  /** Applied in the database, but missing in the folder. */
  readonly missing: readonly string[];
}

/** Compares a database with a folder of migrations; changes nothing. */
export async function migrationStatus(url: string, directory: string): Promise<MigrationStatus> {
  const migrationsList = readMigrations(directory);
  if (isMysqlUrl(url)) return mysqlStatus(url, migrationsList);
  const names = migrationsList.migrationDirectories.map(({ path }) => path);
  if (isSqliteUrl(url) && !(await hasHistory(url)))
    return { applied: [], pending: names, failed: [], edited: [], missing: [] };
  const { failedMigrationNames, editedMigrationNames, history } = await withSchemaEngine(url, (engine) =>
    engine.diagnoseMigrationHistory({ migrationsList, optInToShadowDatabase: false, filters: allTables }),
  );
  const failed = new Set(failedMigrationNames);
  const unapplied = new Set(
    history !== null && "unappliedMigrationNames" in history ? history.unappliedMigrationNames : [],
  );
  const missing = history !== null && "unpersistedMigrationNames" in history ? history.unpersistedMigrationNames : [];
  return {
    applied: names.filter((name) => !unapplied.has(name) && !failed.has(name)),
    pending: names.filter((name) => unapplied.has(name) && !failed.has(name)),
    failed: failedMigrationNames,
    edited: editedMigrationNames,
    missing,
  };
}
