import { failedQueue } from "../failed-queue.js";
import { moveJobs } from "./move-jobs.js";
import { type RunningQueues, type RunQueuesOptions, runQueues } from "./run-queues.js";
import { orderedTables } from "./tables.js";
import { trimOrdered } from "./trim-ordered.js";

/** Options of {@link startOrdered}. */
export interface StartOrderedOptions extends Omit<RunQueuesOptions, "tables" | "isReady"> {
  readonly schema: string;
}

/** The pause in milliseconds between two searches for jobs that an earlier version runs or sends. */
const moveMs = 5_000;
/** When old rows are deleted, in milliseconds after the start and after each deletion. */
const [firstTrimMs, trimMs] = [60_000, 3_600_000];

/**
 * Runs ordered queues. Jobs that an earlier version has stored in pg-boss move before those of their queue run; a queue waits while
 * a process of such a version runs its jobs.
 */
export function startOrdered({ schema, ...options }: StartOrderedOptions): RunningQueues {
  const { run, queues, log } = options;
  const tables = orderedTables(schema);
  const waiting = new Set(queues.map(({ name }) => name));
  const running = runQueues({ ...options, tables, isReady: (name) => !waiting.has(name) });
  const moveAll = async (): Promise<void> => {
    for (const { name: queue, targets } of queues) {
      const move = { schema, queue, failedQueue: failedQueue(queue), targetOf: targets?.ofStored };
      try {
        if (await moveJobs(run, tables, move)) waiting.add(queue);
        else if (waiting.delete(queue)) running.wake();
      } catch (err) {
        log.error({ err, queue }, "a query of the job queues failed");
      }
    }
  };
  let moving = moveAll();
  const moves = setInterval(() => {
    moving = moving.then(moveAll);
  }, moveMs).unref();
  let trims: NodeJS.Timeout;
  const trimAfter = (ms: number): void => {
    trims = setTimeout(() => {
      trimOrdered(run, tables).catch((err: unknown) => log.error({ err }, "a query of the job queues failed"));
      trimAfter(trimMs);
    }, ms).unref();
  };
  trimAfter(firstTrimMs);
  const stop = async (): Promise<void> => {
    clearInterval(moves);
    clearTimeout(trims);
    await moving;
  };
  return {
    wake: running.wake,
    finish: async () => void (await Promise.all([stop(), running.finish()])),
    close: async () => void (await Promise.all([stop(), running.close()])),
  };
}
