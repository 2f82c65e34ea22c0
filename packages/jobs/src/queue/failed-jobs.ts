import type { JobWithMetadata, PgBoss } from "pg-boss";
import { failedQueue } from "../failed-queue.js";
import type { FailedJob, Queues } from "../queues.js";

/** Reads, repeats and deletes jobs that have failed for good. */
export function makeFailedJobs(given: {
  readonly boss: () => Promise<PgBoss>;
  /** Throws if the queue is not defined. */
  readonly definedQueue: (name: string) => unknown;
}): Pick<Queues, "failed" | "retryFailed" | "deleteFailed"> {
  const { boss, definedQueue } = given;
  return {
    async failed(queue, { limit, after }) {
      definedQueue(queue);
      const from = after === undefined ? {} : { after };
      const jobs = await (await boss()).findJobs(failedQueue(queue), { queued: true, limit, ...from });
      return jobs.map((job) => toFailedJob(queue, job));
    },
    async retryFailed(queue, ids) {
      definedQueue(queue);
      const opened = await boss();
      const filter = ids === undefined ? { createdBefore: new Date() } : { ids: [...ids] };
      let moved = 0;
      for (let last = pageSize; last === pageSize; moved += last)
        last = await opened.redrive(failedQueue(queue), { ...filter, destination: queue, limit: pageSize });
      return moved;
    },
    async deleteFailed(queue, id) {
      definedQueue(queue);
      const opened = await boss();
      const [found] = await opened.findJobs(failedQueue(queue), { id });
      if (found === undefined) return false;
      await opened.deleteJob(failedQueue(queue), id);
      return true;
    },
  };
}

const pageSize = 1_000;

function toFailedJob(queue: string, job: JobWithMetadata<unknown>): FailedJob {
  const { id, sourceRootId, sourceId, singletonKey, data, sourceRetryCount, sourceCreatedOn, createdOn } = job;
  return {
    id,
    jobId: sourceRootId ?? sourceId ?? id,
    queue,
    key: singletonKey ?? undefined,
    data,
    attempts: (sourceRetryCount ?? 0) + 1,
    error: messageOf(job.sourceOutput),
    createdAt: sourceCreatedOn ?? createdOn,
    failedAt: createdOn,
  };
}

/** The message of what pg-boss stores of an error, or of its own reason. */
function messageOf(output: unknown): string {
  const { message, value } = Object(output) as { readonly message?: unknown; readonly value?: unknown };
  if (typeof message === "string") return message;
  if (value !== undefined) return typeof value === "string" ? value : messageOf(value);
  return "The job failed without an error.";
}
