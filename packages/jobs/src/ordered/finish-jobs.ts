import { randomUUID } from "node:crypto";
import { type ClaimedJob, type ClaimedRow, type GroupId, toClaimed, type WaitingJob } from "./claim-groups.js";
import { literal, type OrderedTables, type RunSql } from "./tables.js";

/** The result of an attempt. */
export interface JobResult extends GroupId {
  /** The number of attempts before this one. */
  readonly attempt: number;
  /** `undefined` for a group without jobs. */
  readonly job: WaitingJob | undefined;
  readonly outcome: "completed" | "failed" | "retry";
  /** The error of a failed one. */
  readonly error?: string;
  /** Seconds until the next attempt. */
  readonly delaySeconds?: number;
  /** Seconds in which no job of the target runs. */
  readonly pauseSeconds?: number;
  /** Seconds that the job takes of the rate of its target: they extend its pause. */
  readonly costSeconds?: number;
  /** Whether the process claims the next job of the group too. */
  readonly isContinued: boolean;
}

const record = `d(queue text, target text, key text, position bigint, id uuid, attempt int, outcome text, error text,
"delaySeconds" float8, "pauseSeconds" float8, "costSeconds" float8, "isContinued" boolean)`;
const sameGroup = (one: string, other: string): string =>
  `${one}.queue = ${other}.queue AND ${one}.target = ${other}.target AND ${one}.key = ${other}.key`;

/**
 * Stores results: removes jobs that have ended, and makes the next ones of their groups due.
 *
 * @returns the groups whose results are stored, with the next job of those that the process continues. Those are missing which another
 *   transaction locks, as it sends jobs of their keys, and those which the process has lost
 */
export async function finishJobs(
  run: RunSql,
  tables: OrderedTables,
  results: readonly JobResult[],
  { holder, leaseSeconds }: { readonly holder: string; readonly leaseSeconds: number },
): Promise<readonly ClaimedJob[]> {
  const rows = results.map(({ job, error, ...rest }) => ({
    ...{ ...rest, position: job && String(job.position), id: job?.id },
    ...(error === undefined ? {} : { error: error.replaceAll("\u0000", "\uFFFD") }),
  }));
  const source = `json_to_recordset(${literal(JSON.stringify(rows))}) AS ${record}`;
  const token = literal(randomUUID());
  const own = `${literal(holder)}::uuid`;
  // Two statements of one transaction: the second one sees the jobs of all transactions that had locked a group before the first one.
  const stored = await run(`SET LOCAL jit = off;
UPDATE ${tables.groups} AS g SET holder = ${token}
FROM (SELECT g.queue, g.target, g.key FROM ${tables.groups} AS g JOIN ${source} USING (queue, target, key) WHERE g.holder = ${own}
ORDER BY 1, 2, 3 FOR UPDATE OF g SKIP LOCKED) AS c WHERE ${sameGroup("g", "c")};
WITH mine AS (SELECT d.*, g.last_position FROM ${source} JOIN ${tables.groups} AS g USING (queue, target, key) WHERE g.holder = ${token}),
ended AS (DELETE FROM ${tables.jobs} AS j USING mine AS d WHERE ${sameGroup("j", "d")} AND j.position = d.position AND j.id = d.id
AND d.outcome <> 'retry' RETURNING j.*, d.outcome, d.attempt, d.error),
failed AS (INSERT INTO ${tables.failed} (queue, target, key, position, id, data, attempts, error, created)
SELECT queue, target, key, position, id, data, attempt + 1, error, created FROM ended WHERE outcome = 'failed'),
paused AS (INSERT INTO ${tables.targets} AS t (queue, target, paused_until)
SELECT queue, target, now() + interval '1 second' * greatest(max("pauseSeconds"), sum("costSeconds")) FROM mine
WHERE "pauseSeconds" > 0 OR "costSeconds" > 0 GROUP BY queue, target ORDER BY queue, target
ON CONFLICT (queue, target) DO UPDATE SET paused_until = greatest(excluded.paused_until, t.paused_until + interval '1 second'
* (SELECT coalesce(sum("costSeconds"), 0) FROM mine AS m WHERE m.queue = t.queue AND m.target = t.target))),
later AS (SELECT d.*, j.position AS next_position, j.id AS next_id, j.data, j.start_after,
d."isContinued" AND (j.start_after IS NULL OR j.start_after <= now()) AS is_next
FROM mine AS d LEFT JOIN LATERAL (SELECT position, id, data, start_after FROM ${tables.jobs} AS j WHERE ${sameGroup("j", "d")}
AND j.position > d.last_position AND (j.position, j.id) IS DISTINCT FROM (d.position, d.id) ORDER BY position, id LIMIT 1) AS j ON true
WHERE d.outcome <> 'retry'),
removed AS (DELETE FROM ${tables.groups} AS g USING later AS d WHERE ${sameGroup("g", "d")} AND d.next_position IS NULL),
moved AS (UPDATE ${tables.groups} AS g SET attempt = 0, last_position = d.next_position - 1,
holder = CASE WHEN d.is_next THEN ${own} END,
due = CASE WHEN d.is_next THEN now() + ${leaseSeconds} * interval '1 second' ELSE greatest(now(), d.start_after) END
FROM later AS d WHERE ${sameGroup("g", "d")} AND d.next_position IS NOT NULL),
repeated AS (UPDATE ${tables.groups} AS g SET attempt = d.attempt + 1, holder = NULL, due = now() + d."delaySeconds" * interval '1 second'
FROM mine AS d WHERE ${sameGroup("g", "d")} AND d.outcome = 'retry')
SELECT m.queue, m.target, m.key, 0 AS attempt, CASE WHEN l.is_next THEN l.next_position END::text AS position, l.next_id::text AS id, l.data
FROM mine AS m LEFT JOIN later AS l USING (queue, target, key)`);
  return stored.map((row) => toClaimed(row as unknown as ClaimedRow));
}
