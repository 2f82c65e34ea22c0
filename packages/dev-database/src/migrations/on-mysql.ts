import { connectionOptions, whenMissing } from "@servicekit/core/internal";
import { toMigrationError } from "./migration-error.js";

/** A session of MySQL or MariaDB. */
export interface MysqlSession {
  /** Runs a statement, or a script of several ones. */
  query<Row = unknown>(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>;
}

/** Milliseconds of an attempt to connect; the driver makes two. */
const patience = 4_000;

/**
 * Runs the work in a session of its own, with the settings of the server.
 *
 * @throws MigrationError if the database cannot be reached
 * @throws {StartupError} if the driver is not installed
 * @throws {TypeError} for an invalid URL; the message does not contain the URL, which may include a password
 */
export async function onMysql<T>(url: string, work: (session: MysqlSession) => Promise<T>): Promise<T> {
  const { PrismaMariaDb } = await import("@prisma/adapter-mariadb").catch(
    whenMissing("A database URL that begins with mysql:", {
      names: ["@prisma/adapter-mariadb"],
      purpose: "The driver of MySQL and MariaDB",
      development: false,
    }),
  );
  const settings = { connectionLimit: 1, acquireTimeout: patience, connectTimeout: patience };
  const factory = new PrismaMariaDb({ ...connectionOptions(url), ...settings, multipleStatements: true });
  const adapter = await factory.connect();
  try {
    const connection = await adapter
      .underlyingDriver()
      .getConnection()
      .catch((error: unknown) => {
        throw toMigrationError(reasonOf(error));
      });
    try {
      return await work({ query: (sql, values) => connection.query(sql, values) });
    } finally {
      await connection.release().catch(() => undefined);
    }
  } finally {
    await adapter.dispose().catch(() => undefined);
  }
}

/** An error of the server. */
export interface MysqlError extends Error {
  readonly errno: number;
  /** Its message, without the statement. */
  readonly sqlMessage: string;
}

/** Whether an error is one of the server, not of the connection. */
export const isMysqlError = (error: unknown): error is MysqlError =>
  error instanceof Error && typeof (error as Partial<MysqlError>).sqlMessage === "string";

/** The pool reports a time limit, and why the last attempt failed as its cause. */
function reasonOf(error: unknown): unknown {
  const reason: unknown = error instanceof Error ? (error.cause ?? error) : error;
  return isMysqlError(reason)
    ? Object.assign(new Error(reason.sqlMessage, { cause: reason }), { code: String(reason.errno) })
    : reason;
}
