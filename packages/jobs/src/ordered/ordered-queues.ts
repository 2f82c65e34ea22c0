import { randomUUID } from "node:crypto";
import type { PrismaHandle } from "@servicekit/prisma";
import { queryRaw } from "@servicekit/prisma/internal";
import type { FailedChange, FailedJob, Leadership, QueueCounts } from "../queues.js";
import { countOrdered, firstNeededChange } from "./count-ordered.js";
import { acquireLease, checkLease, releaseLease } from "./leases.js";
import { deleteFailed, readFailed, retryFailed } from "./ordered-failures.js";
import { type OrderedJob, storeJobs, storeJobsAlone } from "./send-jobs.js";
import { orderedTables, type RunAllSql, type RunSql } from "./tables.js";

/** A connection for ordered queues. */
export interface OrderedConnection {
  readonly run: RunSql;
  readonly runAll: RunAllSql;
}

/** The stored jobs of ordered queues. */
export interface OrderedQueues {
  /** @returns the ids of those that are new */
  send(jobs: readonly OrderedJob[], transaction?: PrismaHandle): Promise<readonly string[]>;
  addFailed(change: FailedChange, transaction?: PrismaHandle): Promise<void>;
  firstNeededChange(): Promise<bigint | undefined>;
  leadership(name: string): Leadership;
  counts(names: readonly string[]): Promise<readonly QueueCounts[]>;
  failed(
    queue: string,
    page: { readonly limit: number; readonly after?: string | undefined },
  ): Promise<readonly FailedJob[]>;
  retryFailed(queue: string, ids: readonly string[] | undefined): Promise<number>;
  deleteFailed(queue: string, id: string): Promise<boolean>;
}

/** @param connect opens the connection when it is needed */
export function makeOrderedQueues(connect: () => Promise<OrderedConnection>, schema: string): OrderedQueues {
  const tables = orderedTables(schema);
  const run: RunSql = async (text, values) => (await connect()).run(text, values);
  const inside = (transaction: PrismaHandle | undefined): RunSql =>
    transaction === undefined ? run : (text, values = []) => queryRaw(transaction, text, values);
  return {
    async send(jobs, transaction) {
      const { runAll } = await connect();
      return transaction === undefined
        ? storeJobsAlone(runAll, tables, jobs)
        : storeJobs(inside(transaction), tables, jobs);
    },
    async addFailed({ queue, target, key, changeId, error }, transaction) {
      await connect();
      await inside(transaction)(
        `INSERT INTO ${tables.failed} (queue, target, key, position, id, attempts, error, created)
VALUES ($1, $2, $3, $4::text::bigint, gen_random_uuid(), 1, $5, now()) RETURNING 1 AS one`,
        [queue, target, key, String(changeId), error.replaceAll("\u0000", "\uFFFD")],
      );
    },
    firstNeededChange: () => firstNeededChange(run, tables),
    leadership(name) {
      const holder = randomUUID();
      let fence: bigint | undefined;
      return {
        async acquire() {
          fence = (await acquireLease(run, tables, name, holder))?.fence;
          return fence !== undefined;
        },
        async confirm(transaction) {
          const rows = fence === undefined ? [] : await inside(transaction)(checkLease(tables, name, { fence }));
          if (rows.length === 0) throw new Error(`Another process has acquired the leadership of ${name}.`);
        },
        release: async () => void (fence === undefined ? undefined : await releaseLease(run, tables, name, holder)),
      };
    },
    counts: (names) => countOrdered(run, tables, names),
    failed: (queue, page) => readFailed(run, tables, queue, page),
    retryFailed: (queue, ids) => retryFailed(run, tables, queue, ids),
    deleteFailed: (queue, id) => deleteFailed(run, tables, queue, id),
  };
}
