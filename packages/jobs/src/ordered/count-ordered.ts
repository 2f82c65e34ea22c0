import type { QueueCounts } from "../queues.js";
import type { OrderedTables, RunSql } from "./tables.js";

/** Counts the jobs of ordered queues. */
export async function countOrdered(
  run: RunSql,
  { groups, jobs, failed }: OrderedTables,
  names: readonly string[],
): Promise<readonly QueueCounts[]> {
  const rows = await run(
    `SELECT q.name, (SELECT count(*) FROM ${jobs} WHERE queue = q.name)::int AS jobs, (SELECT count(*) FROM ${failed} WHERE queue = q.name)::int AS failed,
g.active, g.retrying FROM unnest($1::text[]) AS q(name) CROSS JOIN LATERAL
(SELECT count(*) FILTER (WHERE holder IS NOT NULL)::int AS active, count(*) FILTER (WHERE holder IS NULL AND attempt > 0)::int AS retrying
FROM ${groups} WHERE queue = q.name) AS g`,
    [names],
  );
  return rows.map((row) => {
    const { name, jobs: all, active, retrying, failed: failures } = row as unknown as CountRow;
    return { name, queued: Math.max(0, all - active - retrying), active, retrying, failed: failures };
  });
}

interface CountRow {
  readonly name: string;
  readonly jobs: number;
  readonly active: number;
  readonly retrying: number;
  readonly failed: number;
}

/** The first change that a waiting or a failed job refers to; `undefined` without one. */
export async function firstNeededChange(run: RunSql, { jobs, failed }: OrderedTables): Promise<bigint | undefined> {
  const [row] = await run(`SELECT least((SELECT min(position) FROM ${jobs} WHERE data IS NULL),
(SELECT min(position) FROM ${failed} WHERE data IS NULL))::text AS position`);
  return row?.position === null || row?.position === undefined ? undefined : BigInt(String(row.position));
}
