import { withTimeLimit } from "@servicekit/core/internal";
import type { Connections } from "../database/connections.js";
import { ormErrors } from "../errors/orm-errors.js";
import type { WalHistory } from "./wal-history.js";
import { readWalPosition, type WalPosition } from "./wal-position.js";

/** Maximum duration of the query of the position, in milliseconds. */
const positionMs = 1_000;

/**
 * `flushed` is what replicas can have. A commit that did not wait for it (`synchronous_commit` of the database or the role)
 * may be later, at most at the insert position.
 */
const positionSql = `SELECT pg_current_wal_flush_lsn()::text AS flushed, CASE current_setting('synchronous_commit')
  WHEN 'off' THEN pg_current_wal_insert_lsn() ELSE pg_current_wal_flush_lsn() END::text AS committed`;

/** Where the log of a primary ends. */
export interface PrimaryPosition {
  /** The end of the log that replicas can have. */
  readonly flushed: WalPosition;
  /** No commit before the query is later. */
  readonly committed: WalPosition;
}

/**
 * Creates the query of the position of a primary; concurrent calls share one. Each position is added to the history.
 *
 * @param connections those of the primary
 */
export function makePrimaryPosition(connections: Connections, history: WalHistory): () => Promise<PrimaryPosition> {
  const query = async (): Promise<PrimaryPosition> => {
    const tooLong = () => ormErrors.DatabaseTimeout("The database did not respond in time.");
    const rows = await withTimeLimit(connections.query(positionSql), positionMs, tooLong);
    const [row] = rows as readonly { readonly flushed: unknown; readonly committed: unknown }[];
    const flushed = readWalPosition(row?.flushed);
    const committed = readWalPosition(row?.committed);
    if (flushed === undefined || committed === undefined)
      throw new TypeError("PostgreSQL returned no position of its log.");
    history.add(flushed, performance.now());
    return { flushed, committed };
  };
  return shareNext(query);
}

/** Shares calls: those during a run get the result of the next one, which starts after they were made. */
function shareNext<T>(run: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> | undefined;
  let next: Promise<T> | undefined;
  const start = (): Promise<T> => {
    const started = run();
    running = started
      .catch(() => undefined)
      .finally(() => {
        running = undefined;
      });
    return started;
  };
  return () => {
    if (running === undefined) return start();
    next ??= running.then(() => {
      next = undefined;
      return start();
    });
    return next;
  };
}
