import { quoteName } from "@servicekit/prisma/internal";
import type { PgBoss } from "pg-boss";
import { failedQueue } from "../failed-queue.js";
import type { QueueCounts } from "../queues.js";

/** Counts the unfinished jobs of queues, and those that have failed for good. */
export async function countJobs(
  boss: PgBoss,
  schema: string,
  names: readonly string[],
): Promise<readonly QueueCounts[]> {
  // The counts of getQueues() are up to a minute old, and contain retries among the queued jobs.
  const { rows } = await boss
    .getDb()
    .executeSql(
      `SELECT name, state::text AS state, count(*)::int AS jobs FROM ${quoteName(schema)}.job WHERE state IN ('created', 'active', 'retry') GROUP BY 1, 2`,
    );
  const counted = new Map((rows as readonly Counted[]).map(({ name, state, jobs }) => [`${name} ${state}`, jobs]));
  const count = (name: string, state: string): number => counted.get(`${name} ${state}`) ?? 0;
  return names.map((name) => ({
    name,
    queued: count(name, "created"),
    active: count(name, "active"),
    retrying: count(name, "retry"),
    failed: count(failedQueue(name), "created"),
  }));
}

interface Counted {
  readonly name: string;
  readonly state: string;
  readonly jobs: number;
}
