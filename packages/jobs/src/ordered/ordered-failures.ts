import type { FailedJob } from "../queues.js";
import { noTarget } from "./send-jobs.js";
import type { OrderedTables, RunSql } from "./tables.js";

/** The number of jobs that one statement moves. */
const batchSize = 1_000;

/** Reads jobs of an ordered queue that have failed for good, the oldest first. */
export async function readFailed(
  run: RunSql,
  { failed }: OrderedTables,
  queue: string,
  { limit, after }: { readonly limit: number; readonly after?: string | undefined },
): Promise<readonly FailedJob[]> {
  const rows = await run(
    `SELECT row_id::text AS id, id::text AS "jobId", key, target, position::text AS "changeId", data, attempts, error, created AS "createdAt", failed AS "failedAt"
FROM ${failed} WHERE queue = $1 AND ($2::text IS NULL OR (failed, row_id) > (SELECT failed, row_id FROM ${failed} WHERE row_id = $2::text::uuid))
ORDER BY failed, row_id LIMIT $3`,
    [queue, after ?? null, limit],
  );
  return rows.map(({ changeId, target, data, ...row }) => ({
    ...({ ...row, queue } as Omit<FailedJob, "data">),
    data: data ?? (target === noTarget ? { changeId } : { target, changeId }),
  }));
}

/** Makes failed jobs the next ones of their keys. @returns their number */
export async function retryFailed(
  run: RunSql,
  tables: OrderedTables,
  queue: string,
  ids: readonly string[] | undefined,
): Promise<number> {
  const { failed, groups, jobs } = tables;
  const start = new Date();
  let total = 0;
  for (let last = batchSize; last === batchSize; total += last) {
    const rows = await run(
      `WITH chosen AS (DELETE FROM ${failed} WHERE row_id IN (SELECT row_id FROM ${failed} WHERE queue = $1 AND failed < $2
AND ($3::text[] IS NULL OR row_id = ANY($3::text[]::uuid[])) ORDER BY failed, row_id LIMIT ${batchSize} FOR UPDATE SKIP LOCKED) RETURNING *),
due AS (INSERT INTO ${groups} AS g (queue, target, key, due, last_position)
SELECT queue, target, key, now(), min(position) - 1 FROM chosen GROUP BY queue, target, key ORDER BY queue, target, key
ON CONFLICT (queue, target, key) DO UPDATE SET last_position = least(g.last_position, excluded.last_position)),
moved AS (INSERT INTO ${jobs} (queue, target, key, position, id, data, created) SELECT queue, target, key, position, id, data, created FROM chosen)
SELECT count(*)::int AS moved FROM chosen`,
      // Later ones may have failed again meanwhile.
      [queue, ids === undefined ? start : "infinity", ids === undefined ? null : ids.filter(isUuid)],
    );
    last = Number(rows[0]?.moved);
  }
  return total;
}

/** @returns whether it existed */
export async function deleteFailed(run: RunSql, { failed }: OrderedTables, queue: string, id: string) {
  if (!isUuid(id)) return false;
  const rows = await run(`DELETE FROM ${failed} WHERE queue = $1 AND row_id = $2::text::uuid RETURNING 1 AS one`, [
    queue,
    id,
  ]);
  return rows.length > 0;
}

const isUuid = (text: string): boolean => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);
