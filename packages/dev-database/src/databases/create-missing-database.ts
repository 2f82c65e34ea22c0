import { connectionOptions, isMysqlUrl } from "@servicekit/core/internal";
import { MigrationError } from "../migrations/migration-error.js";
import { onMysql } from "../migrations/on-mysql.js";
import { createDatabase } from "./create-database.js";
import { createMysqlDatabase } from "./create-mysql-database.js";
import { parseDatabaseUrl, withDatabase } from "./database-url.js";
import { isSqliteUrl } from "./is-sqlite-url.js";
import { withClient } from "./with-client.js";

/** The codes of a database that does not exist: of MySQL and MariaDB, and of PostgreSQL. */
const unknownDatabase = { mysql: "1049", postgresql: "3D000" } as const;

/**
 * Creates the database of a URL of PostgreSQL, MySQL or MariaDB if it does not exist, so that its text is compared exactly.
 * SQLite creates its files itself.
 *
 * @returns whether it was created; not if the server of PostgreSQL rejects the connection for another reason
 * @throws {MigrationError} if the user may not create databases, or a server of MySQL cannot be reached
 */
export async function createMissingDatabase(url: string): Promise<boolean> {
  if (isSqliteUrl(url)) return false;
  return isMysqlUrl(url) ? createMissingOnMysql(url) : createMissingOnPostgres(url);
}

async function createMissingOnPostgres(url: string): Promise<boolean> {
  const code = unknownDatabase.postgresql;
  const isMissing = await withClient(url, async () => false).catch((error: unknown) => codeOf(error) === code);
  if (!isMissing) return false;
  // Each server has it, and every user may connect to it, unless it was changed.
  const server = withDatabase(url, "postgres");
  const name = decodeURI(parseDatabaseUrl(url).pathname.slice(1));
  try {
    await createDatabase(server, { name });
  } catch (error) {
    throw notCreated(name, error, code);
  }
  return true;
}

async function createMissingOnMysql(url: string): Promise<boolean> {
  const code = unknownDatabase.mysql;
  try {
    await onMysql(url, async () => undefined);
    return false;
  } catch (error) {
    if (!(error instanceof MigrationError) || error.code !== code) throw error;
  }
  const { database } = connectionOptions(url);
  // Every user may connect to it.
  const server = new URL(url);
  server.pathname = "/information_schema";
  try {
    await createMysqlDatabase(server.href, database);
  } catch (error) {
    if (!(error instanceof MigrationError)) throw error;
    throw notCreated(database, error, code);
  }
  return true;
}

const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown } | undefined)?.code;

function notCreated(name: string, error: unknown, code: string): MigrationError {
  const reason = error instanceof Error ? error.message : String(error);
  return new MigrationError(
    `The database ${name} does not exist and cannot be created: ${reason}. Create it with CREATE DATABASE as another user, or correct the name in the database URL.`,
    { code, cause: error },
  );
}
