import type { Database, Model } from "@servicekit/prisma";
import { type DeletedBatch, deleteInBatches, queryRaw, quoteTable } from "@servicekit/prisma/internal";
import { columnOf, fieldOf } from "./column-of.js";

/** How long the changes of a model are stored. */
export interface RetentionRule {
  /** The name of the model whose changes are deleted. */
  readonly model: string;
  /** Changes that are older, in days, are deleted. */
  readonly days?: number | undefined;
  /** The number of changes of each row that remain: the latest. */
  readonly perRow?: number | undefined;
}

/** The options of {@link makeChangeRetention}. */
export interface ChangeRetentionOptions {
  readonly database: Database;
  /** The model that stores changes, as {@link readChangeModel} returns it. */
  readonly model: Model;
  /** The database schema of models without one. @default "public" */
  readonly schema?: string | undefined;
  readonly rules: readonly RetentionRule[];
  /**
   * Returns the lowest id of a change that a follower of the log has not read yet: this change and later ones are not
   * deleted. `undefined` without followers.
   */
  readonly neededFrom?: () => Promise<bigint | undefined>;
  /** Milliseconds between two batches. @default 200 */
  readonly pauseMs?: number;
}

/** Deletes old changes. */
export interface ChangeRetention {
  /**
   * Deletes the changes that the rules do not keep, in small batches. Only one process does so at a time. Changes of the
   * last hour are not deleted, so that streams that were interrupted can continue.
   *
   * @param signal ends it after the current batch
   * @returns the number of deleted changes; 0 if another process is deleting
   */
  run(signal?: AbortSignal): Promise<number>;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The key with whose changes a statement starts. */
interface Start {
  readonly key: string;
  /** Whether it starts after this key. */
  readonly isPassed: boolean;
}

const start: Start = { key: "", isPassed: false };

/** One deletion of a rule, in a transaction. */
type Step = (inside: Database, limit: string, from: Start, size: number) => Promise<DeletedBatch<Start>>;

/** Creates what deletes old changes, for PostgreSQL. */
export function makeChangeRetention(options: ChangeRetentionOptions): ChangeRetention {
  const { database, model, schema = "public", rules, neededFrom, pauseMs } = options;
  const [id, key, name, time] = (["id", "key", "model", "time"] as const).map((field) => columnOf(model, field)) as [
    ...[string, string, string, string],
  ];
  const table = quoteTable(model, model.schema ?? schema);
  // Without a time zone the column contains UTC.
  const timeType = fieldOf(model, "time").nativeType?.name === "Timestamptz" ? "timestamptz" : "timestamp";
  const before = (ms: number): string => new Date(Date.now() - ms).toISOString();

  // An array in place of a subquery, so that the primary key is used whatever the statistics are.
  const deleteOlder =
    (of: string, days: number): Step =>
    async (inside, limit, _from, size) => {
      const rows = await queryRaw(
        inside.client,
        `WITH old AS (SELECT ${id} FROM ${table} WHERE ${name} = $1 AND ${time} < $2::text::${timeType}${limit} ORDER BY ${time} LIMIT ${size}),
gone AS (DELETE FROM ${table} WHERE ${id} = ANY(ARRAY(SELECT ${id} FROM old)) RETURNING 1)
SELECT count(*)::int AS deleted FROM gone`,
        [of, before(Math.max(days * dayMs, hourMs))],
      );
      const deleted = Number(rows[0]?.deleted);
      return { deleted, next: deleted < size ? undefined : start };
    };

  /** Deletes the changes of rows before the latest ones, from a key on. */
  const deleteSurplus =
    (of: string, perRow: number): Step =>
    async (inside, limit, from, batchSize) => {
      const size = perRow + batchSize;
      const rows = await queryRaw(
        inside.client,
        `WITH slice AS (SELECT ${key} AS key, ${id} AS id FROM ${table} WHERE ${name} = $1 AND ${key} ${from.isPassed ? ">" : ">="} $2 ORDER BY ${key}, ${id} LIMIT ${size}),
surplus AS (SELECT id FROM (SELECT id, lead(id, ${perRow}) OVER (PARTITION BY key ORDER BY id) AS later FROM slice) AS numbered WHERE later IS NOT NULL),
gone AS (DELETE FROM ${table} WHERE ${id} = ANY(ARRAY(SELECT id FROM surplus)) AND ${time} < $3::text::${timeType}${limit} RETURNING 1)
SELECT (SELECT count(*) FROM gone)::int AS deleted, (SELECT count(*) FROM slice)::int AS seen,
(SELECT key FROM slice ORDER BY key DESC LIMIT 1) AS last`,
        [of, from.key, before(hourMs)],
      );
      const { deleted, seen, last } = rows[0] as { deleted: number; seen: number; last: string | null };
      if (seen < size || last === null) return { deleted, next: undefined };
      // The slice may contain only a part of the last row's changes: the next one starts with them again, unless it has no
      // other row and nothing could be deleted.
      return { deleted, next: { key: last, isPassed: last === from.key && deleted === 0 } };
    };

  const steps = rules.flatMap(({ model: of, days, perRow }) => [
    ...(days === undefined ? [] : [deleteOlder(of, days)]),
    ...(perRow === undefined ? [] : [deleteSurplus(of, perRow)]),
  ]);
  return {
    async run(signal) {
      let total = 0;
      for (const step of steps) {
        const { deleted, isElsewhere } = await deleteInBatches({
          ...{ database, model, name: `servicekit changes ${table}`, start, pauseMs, signal },
          batch: async (inside, from: Start, size) => {
            const needed = await neededFrom?.();
            return step(inside, needed === undefined ? "" : ` AND ${id} < ${needed}`, from, size);
          },
        });
        total += deleted;
        if (isElsewhere) break;
      }
      return total;
    },
  };
}
