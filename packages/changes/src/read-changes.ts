import type { Database, Model, PrismaClientLike } from "@servicekit/prisma";
import { queryRaw, quoteTable } from "@servicekit/prisma/internal";
import { type Change, changeColumns } from "./change.js";
import { columnOf, fieldOf } from "./column-of.js";
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

/** Reads changes in the order of their ids. */
export interface ChangeReader {
  /**
   * Reads the changes after an id. A change is returned only when no transaction can still add one with a smaller id:
   * so a reader that continues after the last id that it has received misses none. While a transaction that writes is
   * open, changes that were made after its start are returned only after its end.
   *
   * @param after the last id that was received; `0n` for the start of the log
   * @param limit the maximum number of changes
   */
  read(after: bigint, limit: number): Promise<readonly Change[]>;
  /** Whether the last {@link read} found changes that it could not return yet, because older transactions are open. */
  isWaiting(): boolean;
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
 * transaction id that is assigned after the change `last` has become visible is therefore larger than that of each
 * transaction with a smaller change id. When all transactions before it have ended, no change up to `last` can appear.
 */
export function makeChangeReader({ database, client, model, schema = "public" }: ChangeReaderOptions): ChangeReader {
  const changes = database.of(model);
  const column = columnOf(model, "id");
  const table = quoteTable(model, model.schema ?? schema);
  const positions = makeLogPositions({ database, model, schema });
  /** The last positions that were read, in their order. */
  const recent = new Map<bigint, LogPosition>();
  let horizon: Horizon | undefined;
  let isWaiting = false;

  const openHorizon = async (after: bigint): Promise<Horizon | undefined> => {
    const [row] = (await client.$queryRawUnsafe(
      `SELECT last::text, CASE WHEN last IS NOT NULL THEN pg_current_xact_id()::text END AS transaction
FROM (SELECT max(${column}) AS last FROM ${table} WHERE ${column} > ${after}) AS found`,
    )) as readonly { readonly last: string | null; readonly transaction: string | null }[];
    if (row === undefined || row.last === null || row.transaction === null) return undefined;
    return { last: BigInt(row.last), transaction: BigInt(row.transaction) };
  };
  const isPassed = async ({ transaction }: Horizon): Promise<boolean> => {
    const [row] = (await client.$queryRawUnsafe(
      `SELECT pg_snapshot_xmin(snapshot)::text::numeric >= ${transaction} AS passed, pg_snapshot_xmax(snapshot)::text::numeric <= ${transaction} AS lost
FROM pg_current_snapshot() AS snapshot`,
    )) as readonly { readonly passed: boolean; readonly lost: boolean }[];
    // The server does not know the transaction any more: it is another one after a failover, or was restored.
    if (row?.lost === true) horizon = undefined;
    return row?.passed === true;
  };
  /** The horizon is that of one server: after an error, another one may respond. */
  const forgetOnError = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      horizon = undefined;
      throw error;
    }
  };

  const remember = (last: Change | undefined): void => {
    if (last === undefined) return;
    recent.set(last.id, positionOf(last));
    for (const [first] of recent) if (recent.size > maxRecent) recent.delete(first);
  };

  return {
    async read(after, limit) {
      if (typeof after !== "bigint" || after < 0n || after > maxId)
        throw new TypeError("after must be a bigint between 0 and 2^63 - 1.");
      if (!Number.isSafeInteger(limit) || limit < 1) throw new TypeError("limit must be a positive integer.");
      return forgetOnError(async () => {
        const current = horizon !== undefined && horizon.last > after ? horizon : await openHorizon(after);
        horizon = current;
        isWaiting = current !== undefined && !(await isPassed(current));
        if (current === undefined || isWaiting) return [];
        const rows = await changes.findMany({
          where: { id: { gt: after, lte: current.last } },
          orderBy: [{ id: "asc" }],
          take: limit,
          select: changeColumns,
        });
        const read = toChanges(rows, database.models);
        remember(read.at(-1));
        return read;
      });
    },
    isWaiting: () => isWaiting,
    end: () =>
      forgetOnError(async () => {
        horizon ??= await openHorizon(0n);
        const current = horizon;
        if (current === undefined) return 0n;
        return (await isPassed(current)) ? current.last : undefined;
      }),
    restart() {
      horizon = undefined;
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
