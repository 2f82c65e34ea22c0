import { createRequire } from "node:module";
import type { PrismaMariaDb } from "@prisma/adapter-mariadb";
import { connectionOptions, whenMissing } from "@servicekit/core/internal";
import { toMigrationError } from "./migration-error.js";

/** A session of MySQL or MariaDB. */
export interface MysqlSession {
  /** Runs a statement, or a script of several ones. */
  query<Row = unknown>(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>;
}

type Pool = ReturnType<Awaited<ReturnType<PrismaMariaDb["connect"]>>["underlyingDriver"]>;
type Connection = Awaited<ReturnType<Pool["getConnection"]>>;

/** The driver of Prisma's adapter. */
interface Driver {
  createConnection(options: object): Promise<Connection>;
}

/** Maximum duration of an attempt to connect, in milliseconds. */
const connectTimeout = 4_000;

/**
 * Runs the work in a session of its own, with the settings of the server.
 *
 * @throws MigrationError if the database cannot be reached
 * @throws {StartupError} if the driver is not installed
 * @throws {TypeError} for an invalid URL; the message does not contain the URL, which may include a password
 */
export async function onMysql<T>(url: string, work: (session: MysqlSession) => Promise<T>): Promise<T> {
  const options = { ...connectionOptions(url), connectTimeout, multipleStatements: true };
  const connection = await loadDriver()
    .createConnection(options)
    .catch((error: unknown) => {
      throw toMigrationError(reasonOf(error));
    });
  // Without a listener, a connection that ends between two statements is an uncaught exception; the next one is rejected.
  connection.on("error", () => undefined);
  try {
    return await work({ query: (sql, values) => connection.query(sql, values) });
  } finally {
    await connection.end().catch(() => undefined);
  }
}

/** A pool of the adapter repeats every failed attempt until a time limit, so it reports a missing database late. */
function loadDriver(): Driver {
  try {
    const adapter = createRequire(import.meta.url).resolve("@prisma/adapter-mariadb");
    return createRequire(adapter)("mariadb") as Driver;
  } catch (error) {
    return whenMissing("A database URL that begins with mysql:", {
      names: ["@prisma/adapter-mariadb"],
      purpose: "The driver of MySQL and MariaDB",
      development: false,
    })(error);
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

/** The message of the driver contains the statement too. */
function reasonOf(error: unknown): unknown {
  return isMysqlError(error)
    ? Object.assign(new Error(error.sqlMessage, { cause: error }), { code: String(error.errno) })
    : error;
}
