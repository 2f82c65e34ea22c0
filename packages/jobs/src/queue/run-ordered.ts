import { longestTimer } from "@servicekit/core/internal";
import type { RunningJob } from "./queues.js";

/** Runs a job of an ordered queue. */
export type RunOrdered = (job: RunningJob, handle: (job: RunningJob) => unknown) => Promise<void>;

/** Options of {@link makeRunOrdered}. */
export interface RunOrderedOptions {
  readonly timeoutSeconds: number;
  /** Called when a handler runs longer. */
  readonly onTimeout: (job: RunningJob) => void;
}

/**
 * Runs the jobs of a key one after the other in this process. A job starts when the handler of the one before has ended, also if
 * that one has exceeded its timeout or is no longer active in the database.
 */
export function makeRunOrdered({ timeoutSeconds, onTimeout }: RunOrderedOptions): RunOrdered {
  const lastByKey = new Map<string, Promise<void>>();

  const runWithTimeout: RunOrdered = async (job, handle) => {
    const timeout = new AbortController();
    const expire = (): void => {
      onTimeout(job);
      timeout.abort(new Error(`The job exceeded its timeout of ${timeoutSeconds} seconds.`));
    };
    const timer = setTimeout(expire, Math.min(timeoutSeconds * 1_000, longestTimer));
    try {
      await handle({ ...job, signal: AbortSignal.any([job.signal, timeout.signal]) });
    } finally {
      clearTimeout(timer);
    }
    timeout.signal.throwIfAborted();
  };
  return async (job, handle) => {
    const key = job.key ?? "";
    const previous = lastByKey.get(key) ?? Promise.resolve();
    const current = previous.catch(() => undefined).then(() => runWithTimeout(job, handle));
    lastByKey.set(key, current);
    try {
      await current;
    } finally {
      if (lastByKey.get(key) === current) lastByKey.delete(key);
    }
  };
}
