import { isHttpError } from "@servicekit/core";
import type { Database, Model } from "@servicekit/prisma";
import { parseJson, queryRaw, quoteTable } from "@servicekit/prisma/internal";
import { type Change, changeColumns } from "./change.js";
import { columnOf } from "./column-of.js";
import { toChanges } from "./response-state.js";

/** The maximum size of the states that are read together, in bytes of their JSON. */
const maxBatchBytes = 2 * 1024 * 1024;
/** The minimum size of a value that is left out of a change that is too large, in bytes of its JSON. */
const minOmittedBytes = 16 * 1024;

/** What changes are read with. */
export interface LargeBatchesOptions {
  readonly database: Database;
  /** The model that stores changes, as {@link readChangeModel} returns it. */
  readonly model: Model;
  /** The database schema of models without one. @default "public" */
  readonly schema?: string | undefined;
}

/** How changes are read that are large. */
export interface BatchOptions {
  /** The maximum number of changes. */
  readonly limit: number;
  /** The maximum size of the states of one change, in bytes of their JSON; above it, large values are omitted. @default none */
  readonly maxChangeBytes?: number | undefined;
}

/** Changes that fit into one batch. */
export interface SizedBatch {
  readonly changes: readonly Change[];
  /** Whether changes follow that do not fit. */
  readonly hasMore: boolean;
}

/** Reads changes in batches of limited size, whatever limits a response has. */
export interface LargeBatches {
  /** Reads changes after an id in their order, up to another id: at least one, if there is one. */
  readBetween(after: bigint, until: bigint, options: BatchOptions): Promise<SizedBatch>;
  /** Reads changes by their ids, in this order: at least two. Those that the log does not contain are missing. */
  readIds(ids: readonly bigint[], options: BatchOptions): Promise<SizedBatch>;
}

/** Creates {@link LargeBatches}, for PostgreSQL. */
export function makeLargeBatches({ database, model, schema = "public" }: LargeBatchesOptions): LargeBatches {
  const [id, ...states] = (["id", "before", "after"] as const).map((field) => columnOf(model, field)) as [
    string,
    ...string[],
  ];
  const table = quoteTable(model, model.schema ?? schema);
  const size = states.map(sizeOf).join(" + ");

  /** The changes of a list that fit. One after the other is measured, so that no more are decompressed than are read. */
  const measure = async (list: string, minimum: number): Promise<Measured> => {
    const rows = await queryRaw(
      database.client,
      `WITH RECURSIVE list AS MATERIALIZED (${list}),
sized AS (SELECT 0::bigint AS number, 0::bigint AS id, 0::bigint AS size, 0::bigint AS total
UNION ALL SELECT list.number, list.id, state.size, sized.total + state.size
FROM sized JOIN list ON list.number = sized.number + 1
CROSS JOIN LATERAL (SELECT coalesce((SELECT ${size} FROM ${table} WHERE ${id} = list.id), 0)::bigint AS size) AS state
WHERE sized.total <= ${maxBatchBytes} OR sized.number < ${minimum})
SELECT id::text, size::float8, (SELECT count(*)::int FROM list) AS count FROM sized
WHERE number > 0 AND (total <= ${maxBatchBytes} OR number <= ${minimum}) ORDER BY number`,
      [],
    );
    const sizes = rows.map((row) => ({ id: BigInt(String(row.id)), size: Number(row.size) }));
    return { sizes, hasMore: sizes.length < Number(rows[0]?.count ?? 0) };
  };

  const readWhole = async (ids: readonly bigint[]): Promise<readonly unknown[]> =>
    ids.length === 0
      ? []
      : readUnlimited(database, (inside) =>
          inside.of(model).findMany({ where: { id: { in: ids } }, select: changeColumns }),
        );
  const readWithoutLarge = async (changeId: bigint): Promise<readonly unknown[]> => {
    const select = { ...changeColumns, before: false, after: false };
    const [change] = await database.of(model).findMany({ where: { id: changeId }, take: 1, select });
    const parts = states.map(
      (
        column,
        index,
      ) => `CROSS JOIN LATERAL (SELECT CASE WHEN ${column} IS NOT NULL THEN coalesce(jsonb_object_agg(key, value) FILTER (WHERE NOT large), '{}')::text END AS state${index},
array_agg(key) FILTER (WHERE large) AS omitted${index}
FROM (SELECT key, value, pg_column_size(value) >= ${minOmittedBytes} AS large FROM jsonb_each(${column}::jsonb)) AS members) AS part${index}`,
    );
    const [row] = await queryRaw(
      database.client,
      `SELECT state0 AS before, state1 AS after, omitted0 AS omitted_before, omitted1 AS omitted_after FROM ${table} ${parts.join("\n")} WHERE ${id} = ${changeId}`,
      [],
    );
    if (change === undefined || row === undefined) return [];
    const omitted = [row.omitted_before, row.omitted_after].flatMap((names) => (names ?? []) as readonly string[]);
    return [
      { ...change, before: stateOf(row.before), after: stateOf(row.after), omitted: [...new Set(omitted)].toSorted() },
    ];
  };
  const read = async (list: string, minimum: number, { maxChangeBytes }: BatchOptions): Promise<SizedBatch> => {
    const { sizes, hasMore } = await measure(list, minimum);
    const isLarge = (bytes: number): boolean => maxChangeBytes !== undefined && bytes > maxChangeBytes;
    const rows = [...(await readWhole(sizes.flatMap((one) => (isLarge(one.size) ? [] : [one.id]))))];
    for (const one of sizes) if (isLarge(one.size)) rows.push(...(await readWithoutLarge(one.id)));
    const byId = new Map(toChanges(rows, database.models).map((change) => [BigInt(change.id), change]));
    return { changes: sizes.flatMap((one) => byId.get(one.id) ?? []), hasMore };
  };

  return {
    readBetween: (after, until, options) =>
      read(
        `SELECT id, row_number() OVER (ORDER BY id) AS number FROM (SELECT ${id} AS id FROM ${table} WHERE ${id} > ${after} AND ${id} <= ${until} ORDER BY ${id} LIMIT ${options.limit}) AS part`,
        1,
        options,
      ).then(({ changes, hasMore }) => ({ changes, hasMore: hasMore || changes.length === options.limit })),
    readIds: (ids, options) =>
      read(
        `SELECT id, number FROM unnest(ARRAY[${ids.slice(0, options.limit).join()}]::bigint[]) WITH ORDINALITY AS ids(id, number)`,
        2,
        options,
      ),
  };
}

/** The size of a state as text. That of one that is not compressed is known without reading it. */
const sizeOf = (column: string): string =>
  `CASE WHEN pg_column_compression(${column}) IS NULL OR pg_column_size(${column}) > ${maxBatchBytes} THEN coalesce(pg_column_size(${column}), 0) ELSE octet_length(${column}::text) END`;

/** The sizes of the changes that fit. */
interface Measured {
  readonly sizes: readonly { readonly id: bigint; readonly size: number }[];
  readonly hasMore: boolean;
}

const stateOf = (text: unknown): unknown => (typeof text === "string" ? parseJson(text) : null);

/** Whether rows exceed the size of one response. */
export const isTooLarge = (error: unknown): boolean => isHttpError(error) && error.code === "ResponseTooLarge";

/** Reads without the limit of responses: a transaction reads rows of any size. */
export const readUnlimited = <Result>(
  database: Database,
  work: (inside: Database) => Promise<Result>,
): Promise<Result> => (database.inTransaction ? work(database) : database.transaction(work));
