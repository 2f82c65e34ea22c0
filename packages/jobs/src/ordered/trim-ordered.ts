import { randomUUID } from "node:crypto";
import { literal, type OrderedTables, type RunSql } from "./tables.js";

/** The number of rows that one statement deletes. */
const batchSize = 1_000;
/** How long jobs wait, and how long their ids and failed jobs are stored, in days. */
const retentionDays = 30;

/** Deletes what is no longer needed, in small batches. */
export async function trimOrdered(run: RunSql, { ids, jobs, failed, targets }: OrderedTables): Promise<void> {
  const old = `now() - interval '${retentionDays} days'`;
  const rows: readonly (readonly [table: string, condition: string])[] = [
    [ids, `time < ${old}`],
    // Also those of queues that no process has any more: the change log retains the changes that they need.
    [jobs, `coalesce(start_after, created) < ${old}`],
    [failed, `failed < ${old}`],
    [targets, "paused_until < now()"],
  ];
  for (const [table, condition] of rows) {
    for (let count = batchSize; count === batchSize; ) {
      const deleted = await run(
        `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(SELECT ctid FROM ${table} WHERE ${condition} LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)) RETURNING 1 AS one`,
      );
      count = deleted.length;
    }
  }
}

/** Deletes all waiting jobs of a target, in small batches. @returns their number */
export async function dropTarget(run: RunSql, tables: OrderedTables, queue: string, target: string): Promise<number> {
  const { groups, jobs } = tables;
  const [name, own, token] = [queue, target, randomUUID()].map(literal);
  const marked = `queue = ${name} AND target = ${own} AND holder = ${token}`;
  let total = 0;
  for (let count = 1; count > 0; ) {
    // As results of jobs: no transaction that sends jobs of these keys ends between both statements.
    const rows = await run(`UPDATE ${groups} SET holder = ${token} WHERE queue = ${name} AND target = ${own}
AND key = ANY(ARRAY(SELECT key FROM ${groups} WHERE queue = ${name} AND target = ${own} AND holder IS NULL ORDER BY due LIMIT 100 FOR UPDATE SKIP LOCKED));
WITH chosen AS (SELECT j.ctid FROM ${jobs} AS j WHERE j.queue = ${name} AND j.target = ${own}
AND j.key IN (SELECT key FROM ${groups} WHERE ${marked}) LIMIT ${batchSize}),
gone AS (DELETE FROM ${jobs} WHERE ctid = ANY(ARRAY(SELECT ctid FROM chosen)) RETURNING 1),
emptied AS (DELETE FROM ${groups} WHERE ${marked} AND (SELECT count(*) FROM chosen) < ${batchSize} RETURNING 1),
released AS (UPDATE ${groups} SET holder = NULL WHERE ${marked} AND (SELECT count(*) FROM chosen) = ${batchSize})
SELECT (SELECT count(*) FROM gone)::int AS deleted, (SELECT count(*) FROM emptied)::int + (SELECT count(*) FROM gone)::int AS count`);
    count = Number(rows[0]?.count);
    total += Number(rows[0]?.deleted);
  }
  return total;
}
