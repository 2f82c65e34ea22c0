import type { Client, Connection, Query } from "pg";
import { beginLocally, type SessionSettings, setLocally } from "./session.js";

/** A query as `pg` accepts it, and the receiver of its result. */
export interface PoolQuery {
  readonly config: QueryText & Readonly<Record<string, unknown>>;
  readonly values: readonly unknown[];
  readonly callback: (error: Error | null | undefined, result?: unknown) => void;
}

interface QueryText {
  readonly text: string;
}

/** The used members of `pg` queries, which its types lack. */
interface OpenQuery {
  prepare(connection: Connection): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: Connection): void;
}

type QueryClass = new (config: object, values: unknown, callback: PoolQuery["callback"]) => Query & OpenQuery;

const begins = /^\s*BEGIN\b/i;
/** Transaction statements, before which no other statement may run. */
const steers = /^\s*(COMMIT|ROLLBACK|SAVEPOINT|RELEASE|SET|START|END|ABORT)\b/i;

/**
 * Sets the session for the query's own transaction, together with the query: PostgreSQL treats everything up to a
 * `Sync` as one transaction, so this needs no additional round trip and has no lasting effect. It is unnamed, because
 * the next transaction may run in a session without the prepared statement.
 */
export function setPerTransaction(client: Client, settings: SessionSettings, query: PoolQuery): object {
  const { Query } = client.constructor as unknown as { readonly Query: QueryClass };
  const { config, values, callback } = query;
  const unnamed = { ...config, name: undefined };
  if (begins.test(config.text)) {
    return new Query({ ...unnamed, text: beginLocally(settings) }, values, (error, results) =>
      callback(error, (results as unknown[] | undefined)?.[0]),
    );
  }
  if (steers.test(config.text)) return new Query(unnamed, values, callback);
  if (values.length === 0) {
    const text = `${setLocally(settings)}; ${config.text}`;
    return new Query({ ...unnamed, text }, values, (error, results) => {
      const own = (results as unknown[] | undefined)?.slice(1);
      callback(error, own?.length === 1 ? own[0] : own);
    });
  }
  return afterSetting(new Query(unnamed, values, callback), setLocally(settings));
}

/** Sends a statement before the query's own, and skips its response. */
function afterSetting<Made extends OpenQuery>(query: Made, sql: string): Made {
  const own = {
    prepare: query.prepare.bind(query),
    handleDataRow: query.handleDataRow.bind(query),
    handleCommandComplete: query.handleCommandComplete.bind(query),
  };
  let isSet = false;
  return Object.assign(query, {
    prepare: (connection: Connection) => {
      connection.parse({ name: "", text: sql, types: [] }, true);
      connection.bind({ values: [] }, true);
      connection.execute({}, true);
      own.prepare(connection);
    },
    handleDataRow: (message: unknown) => {
      if (isSet) own.handleDataRow(message);
    },
    handleCommandComplete: (message: unknown, connection: Connection) => {
      if (isSet) own.handleCommandComplete(message, connection);
      isSet = true;
    },
  } satisfies OpenQuery);
}
