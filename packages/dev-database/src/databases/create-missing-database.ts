import { connectionOptions } from "@servicekit/core/internal";
import { MigrationError } from "../migrations/migration-error.js";
import { onMysql } from "../migrations/on-mysql.js";
import { createMysqlDatabase } from "./create-mysql-database.js";

/** The code of MySQL and MariaDB for a database that does not exist. */
const unknownDatabase = "1049";

/**
 * Creates the database of a URL of MySQL or MariaDB if it does not exist, so that its text is compared exactly.
 *
 * @returns whether it was created
 * @throws MigrationError if the server cannot be reached, or the user may not create databases
 */
export async function createMissingDatabase(url: string): Promise<boolean> {
  try {
    await onMysql(url, async () => undefined);
    return false;
  } catch (error) {
    if (!(error instanceof MigrationError) || error.code !== unknownDatabase) throw error;
  }
  const { database } = connectionOptions(url);
  // Every user may connect to it.
  const server = new URL(url);
  server.pathname = "/information_schema";
  try {
    await createMysqlDatabase(server.href, database);
  } catch (error) {
    if (!(error instanceof MigrationError)) throw error;
    throw new MigrationError(
      `The database ${database} does not exist and cannot be created: ${error.message}. Create it with CREATE DATABASE as another user, or correct the name in the database URL.`,
      { code: unknownDatabase, cause: error },
    );
  }
  return true;
}
