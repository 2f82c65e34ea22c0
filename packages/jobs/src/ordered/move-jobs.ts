import { quoteName } from "@servicekit/prisma/internal";
import { noTarget } from "./send-jobs.js";
import type { OrderedTables, RunSql } from "./tables.js";

/** The number of jobs that one statement moves. */
const batchSize = 500;
/** It makes positions of moved jobs precede those of all changes, and of all jobs that are sent now. */
const beforeAll = 2n ** 62n;

/**
 * Moves the jobs of an ordered queue that an earlier version stored in pg-boss: the waiting ones before all others of their keys, and
 * the failed ones to the failed jobs.
 *
 * @param targetOf returns the target of the data of a job
 * @returns whether processes of an earlier version still run jobs of the queue
 */
export async function moveJobs(
  run: RunSql,
  tables: OrderedTables,
  { schema, queue, failedQueue, targetOf = () => noTarget }: MoveOptions,
): Promise<boolean> {
  const table = `${quoteName(schema)}.job`;
  const chosen = (states: string): string =>
    `DELETE FROM ${table} WHERE name = $1 AND id IN (SELECT id FROM ${table} WHERE name = $1 AND state IN (${states}) ORDER BY created_on, id LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)`;
  for (;;) {
    const waiting = await run(
      `SELECT id::text, data FROM ${table} WHERE name = $1 AND state IN ('created', 'retry') ORDER BY created_on, id LIMIT ${batchSize}`,
      [queue],
    );
    if (waiting.length === 0) break;
    const targets = waiting.map(({ id, data }) => ({ id, target: targetOf((data ?? {}) as object) }));
    await run(
      `WITH chosen AS (DELETE FROM ${table} AS b USING json_to_recordset($2::text::json) AS t(id uuid, target text)
WHERE b.name = $1 AND b.id = t.id AND b.state IN ('created', 'retry') RETURNING b.id, t.target, b.singleton_key, b.data, b.start_after, b.created_on, b.retry_count),
numbered AS (SELECT *, nextval(${tables.sequence}) - ${beforeAll} AS position FROM (SELECT * FROM chosen ORDER BY created_on, id) AS c),
due AS (INSERT INTO ${tables.groups} AS g (queue, target, key, due, attempt, last_position)
SELECT $1, target, coalesce(singleton_key, '-'), greatest(now(), (array_agg(start_after ORDER BY position))[1]), (array_agg(retry_count ORDER BY position))[1], min(position) - 1
FROM numbered GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
ON CONFLICT (queue, target, key) DO UPDATE SET last_position = least(g.last_position, excluded.last_position))
INSERT INTO ${tables.jobs} (queue, target, key, position, id, data, start_after, created)
SELECT $1, target, coalesce(singleton_key, '-'), position, id, coalesce(data, '{}'), start_after, created_on FROM numbered`,
      [queue, JSON.stringify(targets)],
    );
  }
  for (let count = batchSize; count === batchSize; ) {
    const moved = await run(
      `WITH chosen AS (${chosen("'created', 'retry'")} RETURNING *)
INSERT INTO ${tables.failed} (queue, target, key, position, id, data, attempts, error, created, failed)
SELECT $2, '${noTarget}', coalesce(singleton_key, '-'), nextval(${tables.sequence}) - ${beforeAll}, coalesce(source_root_id, source_id, id), coalesce(data, '{}'),
coalesce(source_retry_count, 0) + 1, coalesce(source_output ->> 'message', 'The job failed.'), coalesce(source_created_on, created_on), created_on
FROM chosen RETURNING 1 AS one`,
      [failedQueue, queue],
    );
    count = moved.length;
  }
  const [row] = await run(`SELECT EXISTS (SELECT FROM ${table} WHERE name = $1 AND state = 'active') AS active`, [
    queue,
  ]);
  return row?.active === true;
}

/** What is moved. */
export interface MoveOptions {
  /** The schema of pg-boss. */
  readonly schema: string;
  readonly queue: string;
  readonly failedQueue: string;
  readonly targetOf?: ((data: object) => string) | undefined;
}
