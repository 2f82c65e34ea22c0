import { isHttpError } from "@servicekit/core";
import type { Database, Model } from "@servicekit/prisma";
import { queryRaw, quoteTable } from "@servicekit/prisma/internal";
import { columnOf } from "./column-of.js";

/** The maximum stored size of the states that are read together, in bytes. It is compressed: as text they may be some times longer. */
const maxStoredBytes = 256 * 1024;

/** Consecutive ids of the log. */
export interface IdRange {
  /** The last one that is read; `undefined` without changes. */
  readonly last: bigint | undefined;
  /** Whether changes may follow it. */
  readonly hasMore: boolean;
}

/**
 * Finds how many changes of the log fit into one batch by their size, at least one.
 *
 * @param after the id before the first one
 * @param until the last id that may be read
 * @param limit the maximum number of changes
 */
export async function findBatch(
  {
    database,
    model,
    schema = "public",
  }: { readonly database: Database; readonly model: Model; readonly schema?: string },
  { after, until, limit }: { readonly after: bigint; readonly until: bigint; readonly limit: number },
): Promise<IdRange> {
  const [id, ...states] = (["id", "before", "after"] as const).map((field) => columnOf(model, field));
  const size = states.map((column) => `coalesce(pg_column_size(${column}), 0)`).join(" + ");
  const [row] = await queryRaw(
    database.client,
    `SELECT max(id) FILTER (WHERE total <= ${maxStoredBytes} OR number = 1)::text AS last, (count(*) = ${limit} OR bool_or(total > ${maxStoredBytes} AND number > 1)) AS more
FROM (SELECT id, sum(size) OVER (ORDER BY id) AS total, row_number() OVER (ORDER BY id) AS number
FROM (SELECT ${id} AS id, ${size} AS size FROM ${quoteTable(model, model.schema ?? schema)} WHERE ${id} > ${after} AND ${id} <= ${until} ORDER BY ${id} LIMIT ${limit}) AS part) AS sizes`,
    [],
  );
  const last = row?.last === null || row?.last === undefined ? undefined : BigInt(String(row.last));
  return { last, hasMore: row?.more === true };
}

/** Whether rows exceed the size of one response. */
export const isTooLarge = (error: unknown): boolean => isHttpError(error) && error.code === "ResponseTooLarge";

/** Reads without the limit of responses: a transaction reads rows of any size. */
export const readUnlimited = <Result>(
  database: Database,
  work: (inside: Database) => Promise<Result>,
): Promise<Result> => (database.inTransaction ? work(database) : database.transaction(work));
