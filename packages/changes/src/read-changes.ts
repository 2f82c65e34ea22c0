import type { Database, Model, PrismaClientLike } from "@servicekit/prisma";
import { queryRaw, quoteTable, quoteText } from "@servicekit/prisma/internal";
import { type Change, changeColumns } from "./change.js";
import { columnOf, fieldOf } from "./column-of.js";
import { type BatchOptions, makeLargeBatches, readUnlimited } from "./large-batches.js";
import { isSamePosition, type LogPosition, makeLogPositions, positionOf } from "./log-positions.js";
import { toChanges } from "./response-state.js";

/** What changes are read with. */
export interface ChangeReaderOptions {
  readonly database: Database;
  /** The Prisma client of {@link database}. */
  readonly client: PrismaClientLike;
  /** The model that stores changes, as {@link readChangeModel} returns it. */
  readonly model: Model;
  /** The database schema of models without one. @default "public" */
  readonly schema?: string;
}

/** Options of one read. */
export interface ReadChangesOptions {
  /**
   * The maximum size of the states of a change, in bytes of their JSON. Large values of larger changes are not read; `omitted` names
   * them. @default none
   */
  readonly maxChangeBytes?: number | undefined;
}

/** Reads changes in the order of their ids. */
export interface ChangeReader {
  /**
   * Reads the changes after an id. A change is returned only when no transaction can still add one with a smaller id:
   * so a reader that continues after the last id that it has received misses none. While a transaction that writes is
   * open, changes that were made after its start are returned only after its end.
   *
   * @param after the last id that was received; `0n` for the start of the log
   * @param limit the maximum number of changes; fewer are returned if they are large, at least one of any size
   */
  read(after: bigint, limit: number, options?: ReadChangesOptions): Promise<readonly Change[]>;
  /** Reads one committed change, of any size. @returns `undefined` if the log does not contain it */
  find(id: bigint): Promise<Change | undefined>;
  /** Whether the last {@link read} found changes that it could not return yet, because older transactions are open. */
  isWaiting(): boolean;
  /** Whether changes follow those of the last {@link read} that can be read now. */
  hasMore(): boolean;
  /**
   * Finds the end of the log: no change up to this id can appear any more. `0n` without changes.
   *
   * @returns `undefined` while transactions are open that could add earlier changes than the last one
   */
  end(): Promise<bigint | undefined>;
  /** Reads the log like a new reader, after it has changed otherwise than by new changes: by a failover or a restore. */
  restart(): void;
  /**
   * Where to continue if the change that was read last is no longer in the log because ids were assigned again, as after
   * `TRUNCATE … RESTART IDENTITY`.
   *
   * @param after the last id that was received
   * @returns the id after which the changes were not received; `undefined` if the log has not started again
   */
  restartedFrom(after: bigint): Promise<bigint | undefined>;
}

/** All changes up to `last` are committed or rolled back when all transactions before `transaction` have ended. */
interface Horizon {
  readonly last: bigint;
  readonly transaction: bigint;
}

/** The positions that a reader remembers: one for each of its callers with a position of its own. */
const maxRecent = 16;
/** The maximum that a BigInt column can contain. */
const maxId = 2n ** 63n - 1n;

/**
 * Creates a reader of the change log for PostgreSQL.
 *
 * A change gets its id after its transaction has written the row, so after the transaction has an id itself. A
 * transaction id that is assigned after `last` has been read from the sequence is therefore larger than that of each
 * transaction with a change up to `last`. When all transactions before it have ended, no such change can appear.
 */
export function makeChangeReader({ database, client, model, schema = "public" }: ChangeReaderOptions): ChangeReader {
  const column = columnOf(model, "id");
  const table = quoteTable(model, model.schema ?? schema);
  const positions = makeLogPositions({ database, model, schema });
  const batches = makeLargeBatches({ database, model, schema });
  /** The last positions that were read, in their order. */
  const recent = new Map<bigint, LogPosition>();
  let horizon: Horizon | undefined;
  let isWaiting = false;
  let hasMore = false;
  /** No change up to this id can appear any more. */
  let settled = 0n;
  /** The position after which the last read found no change up to {@link settled}. */
  let read: bigint | undefined;
  let sequence: Promise<string | undefined> | undefined;

  const forget = (): void => {
    [settled, read, horizon] = [0n, undefined, undefined];
  };

  /** The sequence of the ids; `undefined` if the column has none of its own, or the user may not read it. */
  const findSequence = async (): Promise<string | undefined> => {
    const [row] = (await client.$queryRawUnsafe(
      `SELECT name FROM (SELECT pg_get_serial_sequence(${quoteText(table)}, ${quoteText(fieldOf(model, "id").column)}) AS name OFFSET 0) AS ids
WHERE has_sequence_privilege(name, 'USAGE') OR has_sequence_privilege(name, 'SELECT')`,
    )) as readonly { readonly name: string | null }[];
    return row?.name ?? undefined;
  };
  const sequenceName = (): Promise<string | undefined> => {
    sequence ??= findSequence().catch((error: unknown) => {
      sequence = undefined;
      throw error;
    });
    return sequence;
  };

  const openHorizon = async (): Promise<Horizon | undefined> => {
    const name = await sequenceName();
    // The last id of the sequence is read without the changes of open transactions, of which there may be many.
    const source =
      name === undefined
        ? `(SELECT coalesce(max(${column}), 0) AS last FROM ${table} WHERE ${column} > ${settled}) AS ids`
        : `(SELECT coalesce(pg_sequence_last_value(${quoteText(name)}::regclass), 0) AS last OFFSET 0) AS ids`;
    const [row] = (await client.$queryRawUnsafe(
      `SELECT last::text, CASE WHEN last > ${settled} THEN pg_current_xact_id()::text END AS transaction FROM ${source}`,
    )) as readonly { readonly last: string; readonly transaction: string | null }[];
    if (row === undefined) return undefined;
    const last = BigInt(row.last);
    if (row.transaction !== null) return { last, transaction: BigInt(row.transaction) };
    // The ids start again, as after a restore or a failover.
    if (name === undefined || last >= settled) return undefined;
    [settled, read] = [0n, undefined];
    return openHorizon();
  };
  const isPassed = async ({ transaction }: Horizon): Promise<boolean> => {
    const [row] = (await client.$queryRawUnsafe(
      `SELECT pg_snapshot_xmin(snapshot)::text::numeric >= ${transaction} AS passed, pg_snapshot_xmax(snapshot)::text::numeric <= ${transaction} AS lost
FROM pg_current_snapshot() AS snapshot`,
    )) as readonly { readonly passed: boolean; readonly lost: boolean }[];
    // The server does not know the transaction any more: it is another one after a failover, or was restored.
    if (row?.lost === true) forget();
    return row?.passed === true;
  };
  /** The horizon is that of one server: after an error, another one may respond. */
  const forgetOnError = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      forget();
      throw error;
    }
  };

  const remember = (last: Change | undefined): void => {
    if (last === undefined) return;
    recent.set(last.id, positionOf(last));
    for (const [first] of recent) if (recent.size > maxRecent) recent.delete(first);
  };

  const settle = ({ last }: Horizon): void => {
    [settled, read, horizon] = [last, undefined, undefined];
  };
  const readBetween = async (after: bigint, options: BatchOptions): Promise<readonly Change[]> => {
    const batch = await batches.readBetween(after, settled, options);
    const last = batch.changes.at(-1);
    if (!batch.hasMore) read = last === undefined ? after : BigInt(last.id);
    hasMore = batch.hasMore;
    remember(last);
    return batch.changes;
  };

  return {
    async find(id) {
      const rows = await readUnlimited(database, (inside) =>
        inside.of(model).findMany({ where: { id }, take: 1, select: changeColumns }),
      );
      return toChanges(rows, database.models)[0];
    },
    async read(after, limit, { maxChangeBytes } = {}) {
      if (typeof after !== "bigint" || after < 0n || after > maxId)
        throw new TypeError("after must be a bigint between 0 and 2^63 - 1.");
      if (!Number.isSafeInteger(limit) || limit < 1) throw new TypeError("limit must be a positive integer.");
      const options = { limit, maxChangeBytes };
      return forgetOnError(async () => {
        [isWaiting, hasMore] = [false, false];
        if (after < settled && after !== read) {
          const found = await readBetween(after, options);
          if (found.length > 0) return found;
        }
        horizon ??= await openHorizon();
        const current = horizon;
        if (current === undefined) return [];
        isWaiting = !(await isPassed(current));
        if (isWaiting) return [];
        settle(current);
        return after < settled ? readBetween(after, options) : [];
      });
    },
    isWaiting: () => isWaiting,
    hasMore: () => hasMore,
    end: () =>
      forgetOnError(async () => {
        horizon ??= await openHorizon();
        const current = horizon;
        if (current !== undefined) {
          if (!(await isPassed(current))) return undefined;
          settle(current);
        }
        const statement = `SELECT coalesce(max(${column}), 0)::text AS last FROM ${table} WHERE ${column} <= ${settled}`;
        const [row] = await queryRaw(client, statement, []);
        return BigInt(String(row?.last));
      }),
    restart() {
      forget();
      isWaiting = false;
    },
    async restartedFrom(after) {
      const known = recent.get(after);
      const current = await positions.find(after);
      if (current !== undefined) {
        if (known === undefined || isSamePosition(current, known)) return undefined;
        const [row] = await queryRaw(
          client,
          `SELECT coalesce(max(${column}), 0)::text AS last FROM ${table} WHERE ${column} <= ${after} AND ${columnOf(model, "transaction")} <= ${known.transaction}`,
          [],
        );
        const last = BigInt(String(row?.last));
        return last === after ? undefined : last;
      }
      const [row] = await queryRaw(
        client,
        `SELECT coalesce(pg_sequence_last_value(name::regclass), 0) < ${after} AND NOT EXISTS (SELECT FROM ${table} WHERE ${column} > ${after}) AS restarted
FROM pg_get_serial_sequence($1, $2) AS name WHERE name IS NOT NULL`,
        [table, fieldOf(model, "id").column],
      );
      return row?.restarted === true ? 0n : undefined;
    },
  };
}
