import type { Database, Model } from "@servicekit/prisma";
import { queryRaw, quoteTable } from "@servicekit/prisma/internal";
import { columnOf } from "./column-of.js";

/**
 * A position in the log: after this change. Its id alone does not identify a change, because ids repeat after a restore of a backup,
 * a failover that lost the last changes, and `TRUNCATE … RESTART IDENTITY`.
 */
export interface LogPosition {
  readonly id: bigint;
  /** The id of the database transaction that made the change. */
  readonly transaction: bigint;
  readonly time: Date;
}

/** The position before the first change. */
export const logStart: LogPosition = Object.freeze({ id: 0n, transaction: 0n, time: new Date(0) });

/** Finds positions in the log. */
export interface LogPositions {
  /** The position after the change with this id; `undefined` if the log does not contain it. */
  find(id: bigint): Promise<LogPosition | undefined>;
  /** Whether the log contains the change of a position, and not another one with its id. */
  contains(position: LogPosition): Promise<boolean>;
  /** What a reader of the database sees of the log now. */
  now(): Promise<VisibleLog>;
}

/** What a reader of the database has seen of the log at one moment. */
export interface VisibleLog {
  /** The id of the newest committed change; `0n` without any. */
  readonly newest: bigint;
  /** Whether the changes of a transaction were committed. */
  readonly contains: (transaction: bigint) => boolean;
}

/** What positions are found with. */
export interface LogPositionsOptions {
  readonly database: Database;
  /** The model that stores changes, as {@link readChangeModel} returns it. */
  readonly model: Model;
  /** The database schema of models without one. @default "public" */
  readonly schema?: string | undefined;
}

/** Creates {@link LogPositions}, for PostgreSQL. */
export function makeLogPositions({ database, model, schema = "public" }: LogPositionsOptions): LogPositions {
  const changes = database.of(model);
  const table = quoteTable(model, model.schema ?? schema);
  const column = columnOf(model, "id");
  const find = async (id: bigint): Promise<LogPosition | undefined> => {
    const select = { id: true, transaction: true, time: true };
    const [row] = (await changes.findMany({ where: { id }, take: 1, select })) as unknown as readonly LogPosition[];
    return row === undefined ? undefined : positionOf(row);
  };
  return {
    find,
    contains: async (position) => {
      const current = await find(position.id);
      return current !== undefined && isSamePosition(current, position);
    },
    now: async () => {
      const [row] = await queryRaw(
        database.client,
        `SELECT coalesce(max(${column}), 0)::text AS newest, pg_current_snapshot()::text AS snapshot FROM ${table}`,
        [],
      );
      return { newest: BigInt(String(row?.newest)), contains: readSnapshot(String(row?.snapshot)) };
    },
  };
}

/** Reads the text of a `pg_snapshot`, such as `10:20:10,14`: its oldest open transaction, its end, and its open transactions. */
function readSnapshot(text: string): VisibleLog["contains"] {
  const [first = "0", end = "0", open = ""] = text.split(":");
  const [oldest, next] = [BigInt(first), BigInt(end)];
  const running = new Set(open === "" ? [] : open.split(",").map(BigInt));
  return (transaction) => transaction < oldest || (transaction < next && !running.has(transaction));
}

/** The position after a change. */
export const positionOf = ({ id, transaction, time }: LogPosition): LogPosition => ({
  id: BigInt(id),
  transaction: BigInt(transaction),
  time: new Date(time),
});

/** Whether two positions are those of one change. */
export const isSamePosition = (one: LogPosition, other: LogPosition): boolean =>
  one.id === other.id && one.transaction === other.transaction && one.time.getTime() === other.time.getTime();
