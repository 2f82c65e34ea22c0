import { withTimeLimit } from "@servicekit/core/internal";
import type { Connection, Pool } from "./driver.js";
import { withoutInvalidValues } from "./without-invalid-values.js";

/**
 * Runs statements on each connection of a pool before its first use. A failure closes the connection and rejects the
 * query that waits for it. The option `initSql` of the driver reports a failure as an unhandled rejection too.
 *
 * @param timeoutMs maximum duration for one connection in milliseconds
 */
export function setUpConnections(pool: Pool, statements: readonly string[], timeoutMs: number): void {
  const known = new WeakSet<object>();
  // The object of the event is not the one that the caller gets: both have the id of the connection on the server.
  const added = new Set<number | null>();
  pool.on("acquire", (connection) => {
    if (known.has(connection)) return;
    known.add(connection);
    added.add(connection.threadId);
  });
  const acquire = pool.getConnection.bind(pool);
  const getConnection = async (): Promise<Connection> => {
    const connection = await acquire();
    if (added.delete(connection.threadId)) await setUp(connection, statements, timeoutMs);
    return withoutInvalidValues(connection);
  };
  const withConnection = async <T>(work: (connection: Connection) => Promise<T>): Promise<T> => {
    const connection = await getConnection();
    try {
      return await work(connection);
    } finally {
      await connection.release();
    }
  };
  Object.assign(pool, {
    getConnection,
    query: (...given: Parameters<Pool["query"]>) => withConnection((connection) => connection.query(...given)),
    execute: (...given: Parameters<Pool["execute"]>) => withConnection((connection) => connection.execute(...given)),
  });
}

async function setUp(connection: Connection, statements: readonly string[], timeoutMs: number): Promise<void> {
  // All of them end before a failed connection is closed: the driver kills a running statement over another connection.
  const results = Promise.allSettled(statements.map((sql) => connection.query(sql)));
  try {
    const ended = await withTimeLimit(
      results,
      timeoutMs,
      () => new Error(`The server did not respond for ${timeoutMs} ms.`),
    );
    const failed = ended.find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  } catch (error) {
    connection.destroy();
    throw new ConnectionSetupError(error);
  }
}

/** Has the fields by which Prisma's adapter recognizes an error of the driver. */
class ConnectionSetupError extends Error {
  override readonly name = "ConnectionSetupError";
  /** The driver's code of a failed `initSql`. */
  readonly errno = 45_030;
  readonly sqlState = "08S01";
  readonly sqlMessage: string;

  constructor(cause: unknown) {
    // The message of an error of the server contains the statement too.
    const { message: text, sqlMessage = text } = cause as Error & { readonly sqlMessage?: string | null };
    const message = `The set-up of a connection failed: ${sqlMessage ?? text}`;
    super(message, { cause });
    this.sqlMessage = message;
  }
}
