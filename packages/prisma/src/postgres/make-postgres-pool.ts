import { readConnectionString } from "./connection-string.js";
import { openPool } from "./open-pool.js";
import { makeWritableHost } from "./writable-host.js";

/** Options of `makePostgresPool`. */
export interface PostgresPoolSettings {
  /** A connection string as for `makePostgresAdapter`, which may name several hosts. */
  readonly url: string;
  /** Maximum number of connections. @default 10 */
  readonly poolSize?: number;
  /** The name of the connections in `pg_stat_activity`. @default none */
  readonly applicationName?: string;
  /** Maximum wait for a connection, free or new, in milliseconds. @default 10000 */
  readonly poolWaitMs?: number;
  /**
   * Milliseconds after which a statement fails if its server does not respond to a new connection, or accepts no writes any
   * more. On any other server it continues. @default 5000
   */
  readonly stallMs?: number;
}

/** The result of SQL. */
export interface PostgresResult {
  readonly rows: unknown[];
}

/** Connections for a library that sends SQL of its own, such as a queue. */
export interface PostgresPool {
  /**
   * Runs one statement, or several without values, over the next free connection.
   *
   * @returns the result of one statement, a list of results of several
   */
  query(text: string, values?: readonly unknown[]): Promise<PostgresResult | readonly PostgresResult[]>;
  /** Closes the connections. */
  end(): Promise<void>;
}

/**
 * Creates a pool that uses the host which accepts writes, like `makePostgresAdapter`, but leaves sessions and the duration of
 * statements to its user. Nothing connects before the first statement.
 */
export function makePostgresPool(settings: PostgresPoolSettings): PostgresPool {
  const { poolSize = 10, applicationName, poolWaitMs = 10_000, stallMs = 5_000 } = settings;
  const { url, hosts } = readConnectionString(settings.url);
  const config = {
    ...{ connectionString: url, max: poolSize, keepAlive: true },
    ...(applicationName === undefined ? {} : { application_name: applicationName }),
  };
  const sessions = {
    settings: undefined,
    connectMs: poolWaitMs,
    responseMs: stallMs,
    isUnlimited: true,
    onStaleStatement: () => undefined,
    writable: hosts.length === 0 ? undefined : makeWritableHost(hosts),
  };
  const open = once(() => openPool(config, sessions));
  const end = once(async () => (await open()).end());
  return { query: async (text, values) => (await open()).query(text, values as unknown[]), end };
}

/** Runs a function with its first call. */
function once<T>(run: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: run() };
    return made.value;
  };
}
