import type { Database, Model } from "@servicekit/prisma";
import { queryRaw, quoteTable } from "@servicekit/prisma/internal";
import type { Change } from "./change.js";
import { columnOf } from "./column-of.js";
import { makeLargeBatches } from "./large-batches.js";

/** What changes are summarized with. */
export interface ChangeSummariesOptions {
  readonly database: Database;
  /** The model that stores changes, as {@link readChangeModel} returns it. */
  readonly model: Model;
  /** The database schema of models without one. @default "public" */
  readonly schema?: string | undefined;
}

/** The changes of one row in a part of the log. */
interface RowChanges {
  /** The id of the first one. */
  readonly first: bigint;
  readonly last: bigint;
}

/** The changed rows of a model in a part of the log, in the order of their last changes. */
export type ChangedRows = readonly RowChanges[];

/** Summarizes the changes of each row in a part of the log. */
export interface ChangeSummaries {
  /**
   * Finds the rows of a model that have changed after one id, up to another one.
   *
   * @returns `undefined` if they are too many, or if a row has changed its key, so that its changes are not those of one key
   */
  find(model: Model, after: bigint, until: bigint): Promise<ChangedRows | undefined>;
  /**
   * Reads one change for each of some rows: the last one, with the state before the first one. Those that fit into one batch are
   * returned, at least one.
   *
   * @param maxChangeBytes the maximum size of a change; large values of larger ones are omitted
   * @returns `undefined` if the log no longer contains a change
   */
  read(rows: ChangedRows, maxChangeBytes: number): Promise<readonly Change[] | undefined>;
}

/** The maximum number of changes that are summarized. */
const maxChanges = 10_000;
/** The maximum stored size of their states, in bytes. */
const maxBytes = 32 * 1024 * 1024;
/** The maximum number of rows that are read together. */
const maxRows = 50;

/** Creates {@link ChangeSummaries}, for PostgreSQL. */
export function makeChangeSummaries({ database, model, schema = "public" }: ChangeSummariesOptions): ChangeSummaries {
  const batches = makeLargeBatches({ database, model, schema });
  const table = quoteTable(model, model.schema ?? schema);
  const [id, key, name, before, after] = (["id", "key", "model", "before", "after"] as const).map((field) =>
    columnOf(model, field),
  ) as [string, string, string, string, string];
  const size = `coalesce(pg_column_size(${before}), 0) + coalesce(pg_column_size(${after}), 0)`;
  return {
    async find(of, from, until) {
      const part = `FROM (SELECT * FROM ${table} WHERE ${name} = $1 AND ${id} > ${from} AND ${id} <= ${until} ORDER BY ${id} LIMIT ${maxChanges + 1}) AS part`;
      const [total] = await queryRaw(
        database.client,
        `SELECT count(*)::int AS changes, coalesce(sum(${size}), 0)::float8 AS bytes ${part}`,
        [of.name],
      );
      if (Number(total?.changes) > maxChanges || Number(total?.bytes) > maxBytes) return undefined;
      if (Number(total?.changes) === 0) return [];
      const fields = (of.key?.fields ?? []).map((field) => `'${field.name.replaceAll("'", "''")}'`);
      const moves = fields.map((field) => `${before} -> ${field} IS DISTINCT FROM ${after} -> ${field}`);
      const rows = await queryRaw(
        database.client,
        `SELECT min(${id})::text AS first, max(${id})::text AS last,
bool_or(${before} IS NOT NULL AND ${after} IS NOT NULL AND (${moves.join(" OR ") || "false"})) AS moved
${part} GROUP BY ${key} ORDER BY max(${id})`,
        [of.name],
      );
      if (rows.some(({ moved }) => moved === true)) return undefined;
      return rows.map(({ first, last }) => ({ first: BigInt(String(first)), last: BigInt(String(last)) }));
    },
    async read(rows, maxChangeBytes) {
      const ids = [...new Set(rows.slice(0, maxRows).flatMap(({ first, last }) => [first, last]))];
      const batch = await batches.readIds(ids, { limit: ids.length, maxChangeBytes });
      const byId = new Map(batch.changes.map((change) => [BigInt(change.id), change]));
      const summaries: Change[] = [];
      for (const { first, last } of rows.slice(0, maxRows)) {
        const [oldest, newest] = [byId.get(first), byId.get(last)];
        if (oldest === undefined || newest === undefined)
          return batch.hasMore && summaries.length > 0 ? summaries : undefined;
        summaries.push(oldest === newest ? newest : { ...newest, before: oldest.before, ...omittedOf(oldest, newest) });
      }
      return summaries;
    },
  };
}

function omittedOf(...changes: readonly Change[]): Pick<Change, "omitted"> {
  const omitted = changes.flatMap((change) => change.omitted ?? []);
  return omitted.length === 0 ? {} : { omitted: [...new Set(omitted)].toSorted() };
}
