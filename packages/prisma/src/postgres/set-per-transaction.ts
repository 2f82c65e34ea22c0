import type { Client, Connection, Query } from "pg";
import { beginLocally, type SessionSettings, setLocally } from "./session.js";

/** A query as `pg` takes it, and the one to whom its outcome is told. */
export interface AskedQuery {
  readonly config: QueryText & Readonly<Record<string, unknown>>;
  readonly values: readonly unknown[];
  readonly callback: (error: Error | null | undefined, result?: unknown) => void;
}

interface QueryText {
  readonly text: string;
}

/** What is used of the queries of `pg`, which its types leave out. */
interface OpenQuery {
  prepare(connection: Connection): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: Connection): void;
}

type QueryClass = new (config: object, values: unknown, callback: AskedQuery["callback"]) => Query & OpenQuery;

const begins = /^\s*BEGIN\b/i;
/** Statements about the transaction itself, which another before them would disturb. */
const steers = /^\s*(COMMIT|ROLLBACK|SAVEPOINT|RELEASE|SET|START|END|ABORT)\b/i;

/**
 * Sets the session for as long as the query's own transaction, together with the query: PostgreSQL takes everything up
 * to a `Sync` as one transaction, so this needs no message more on the way and leaves nothing behind. And it has no name,
 * for the next transaction may come to a session in which nothing of that name was prepared.
 */
export function setPerTransaction(client: Client, settings: SessionSettings, asked: AskedQuery): object {
  const { Query } = client.constructor as unknown as { readonly Query: QueryClass };
  const { config, values, callback } = asked;
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

/** Sends a statement before the query's own, and passes over its answer. */
function afterSetting<Asked extends OpenQuery>(query: Asked, sql: string): Asked {
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
