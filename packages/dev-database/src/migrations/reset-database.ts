import fs from "node:fs";
import { isMysqlUrl } from "@servicekit/core/internal";
import { quoteName } from "../databases/database-url.js";
import { isSqliteUrl, sqliteFile } from "../databases/is-sqlite-url.js";
import { withClient } from "../databases/with-client.js";
import { type ApplyMigrationsOptions, applyMigrations } from "./apply-migrations.js";
import { emptyMysqlDatabase } from "./empty-mysql-database.js";
import { toMigrationError } from "./migration-error.js";
import { requireMigrations } from "./read-migrations.js";

/** All schemas except PostgreSQL's own and those of extensions. */
const schemasToDrop = `
  SELECT nspname AS "name" FROM pg_namespace
  WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'
    AND NOT EXISTS (SELECT FROM pg_depend
      WHERE classid = 'pg_namespace'::regclass AND objid = pg_namespace.oid AND deptype = 'e')`;

/**
 * Drops everything in the database, in every schema, or deletes the file of SQLite or the database of MySQL, and applies all migrations again.
 *
 * @returns the names of the applied migrations.
 * @throws MigrationError as {@link applyMigrations} does; without a folder of migrations nothing is dropped.
 */
export async function resetDatabase(
  url: string,
  directory: string,
  options: ApplyMigrationsOptions = {},
): Promise<string[]> {
  requireMigrations(directory);
  if (isSqliteUrl(url)) {
    const file = sqliteFile(url);
    for (const part of ["", "-wal", "-shm"]) fs.rmSync(file + part, { force: true });
    return applyMigrations(url, directory, options);
  }
  if (isMysqlUrl(url)) {
    await emptyMysqlDatabase(url);
    return applyMigrations(url, directory, options);
  }
  const dropped = withClient(url, async (client) => {
    const { rows } = await client.query<{ name: string }>(schemasToDrop);
    const drops = rows.map(({ name }) => `DROP SCHEMA ${quoteName(name)} CASCADE;`);
    // One query is one transaction: it drops everything or nothing.
    await client.query(`${drops.join("\n")} CREATE SCHEMA public; GRANT USAGE ON SCHEMA public TO PUBLIC;`);
  });
  await dropped.catch((error: unknown) => {
    throw toMigrationError(error);
  });
  return applyMigrations(url, directory, options);
}
