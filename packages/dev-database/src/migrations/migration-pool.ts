import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { quoteName } from "../databases/database-url.js";
import { withClient } from "../databases/with-client.js";
import { CatalogClient } from "./catalog-types.js";

/** How long a running query may delay the closing, in milliseconds. */
const patience = 500;

/** The connections of one schema engine. */
export interface MigrationPool {
  readonly pool: pg.Pool;
  /** Closes every connection, including one that waits for a lock. */
  close(): Promise<void>;
}

/**
 * Connects as the schema engine expects: with one session that lives until it is closed, in the URL's schema.
 *
 * @param max the maximum number of sessions
 */
export function createMigrationPool(url: string, schema: string | null, max = 10): MigrationPool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: 10_000,
    // The engine's advisory lock lasts as long as its session.
    idleTimeoutMillis: 0,
    Client: CatalogClient,
    ...(schema === null ? {} : { options: `-c search_path=${escapeOption(quoteName(schema))}` }),
  });
  pool.on("error", () => {});
  const sessions = new Set<number>();
  pool.on("connect", (client) => {
    client.on("error", () => {});
    const { processID } = client as pg.PoolClient & { readonly processID?: number };
    if (processID !== undefined) sessions.add(processID);
  });
  return {
    pool,
    close: async () => {
      const ended = pool.end();
      const timer = new AbortController();
      const late = delay(patience, true, { signal: timer.signal }).catch(() => false);
      if (await Promise.race([ended.then(() => false), late])) {
        await withClient(url, (client) =>
          client.query("SELECT pg_terminate_backend(unnest($1::int[]))", [[...sessions]]),
        );
      }
      timer.abort();
      await ended;
    },
  };
}

/** PostgreSQL splits `options` at blanks and reads a backslash as an escape. */
function escapeOption(value: string): string {
  return value.replace(/[\\\s]/g, "\\$&");
}
