import { randomUUID } from "node:crypto";
import { longestTimer } from "@servicekit/core/internal";
import type { JobLog } from "../job-log.js";
import type { JobRun, QueueOptions, RunningJob } from "../queues.js";
import { isUnrecoverable } from "../unrecoverable-error.js";
import {
  type ClaimedJob,
  claimGroups,
  findDueGroups,
  type GroupId,
  heldGroups,
  releaseGroups,
  renewGroups,
} from "./claim-groups.js";
import { finishJobs, type JobResult } from "./finish-jobs.js";
import { retryDelay } from "./retry-delay.js";
import type { OrderedTables, RunSql } from "./tables.js";
import { dropTarget } from "./trim-ordered.js";

/** Options of {@link runQueues}. */
export interface RunQueuesOptions {
  readonly run: RunSql;
  readonly tables: OrderedTables;
  readonly queues: readonly QueueOptions[];
  readonly log: JobLog;
  readonly onRun: ((run: JobRun) => void) | undefined;
  /** Seconds after which the jobs of a killed process run again. */
  readonly leaseSeconds: number;
  readonly pollingSeconds: number;
  readonly defaultTimeoutSeconds: number;
  /** Whether jobs of a queue may run now. */
  readonly isReady: (queue: string) => boolean;
}

/** The ordered queues that run in this process. */
export interface RunningQueues {
  /** Looks for due jobs now. */
  wake(): void;
  /** Runs no further jobs, and waits for running ones. */
  finish(): Promise<void>;
  /** Aborts running jobs, and returns them to their queues. */
  close(): Promise<void>;
}

interface Work {
  readonly claimed: ClaimedJob;
  readonly abort: AbortController;
}

/** How many jobs of a group run one after the other before it is offered to all processes again. */
const maxInSequence = 50;
/** The number of results that one statement stores. */
const maxResults = 200;
const defaultRetries = { limit: 5, delaySeconds: 5, backoff: true, maxDelaySeconds: 3_600 };
const countKey = (...parts: readonly string[]): string => JSON.stringify(parts);
const idOf = ({ queue, target, key }: GroupId): string => JSON.stringify([queue, target, key]);

/**
 * Runs the jobs of ordered queues: of each key one after the other. Claims and results of all of them are stored together, so that the
 * work of the database does not depend on the number of waiting jobs, keys or targets.
 */
export function runQueues(options: RunQueuesOptions): RunningQueues {
  const { run, tables, log, onRun, leaseSeconds, pollingSeconds } = options;
  const byName = new Map(options.queues.map((queue) => [queue.name, queue]));
  const lease = { holder: randomUUID(), leaseSeconds };
  /** The claimed groups until their results are stored. */
  const claimed = new Map<string, Work>();
  const counts = new Map<string, number>();
  const cursors = new Map<string, string>();
  const results: JobResult[] = [];
  let isEnding = false;
  let isClosed = false;
  let isWoken = false;
  let endPause: (() => void) | undefined;
  let isStoring = false;
  let storing: Promise<void> | undefined;
  let onEmpty: (() => void) | undefined;

  /** What limits the number of running jobs of a group, with the limits. */
  const limitsOf = ({ queue: name, target }: GroupId): readonly (readonly [key: string, limit: number])[] => {
    const { concurrency = 1, targets } = byName.get(name) as QueueOptions;
    if (targets === undefined) return [[countKey(name), concurrency]];
    const owner = targets.ownerOf(target);
    return [
      [countKey(name), concurrency],
      [countKey(name, "target", target), targets.limitOf(target)],
      ...(owner === undefined ? [] : [[countKey(name, "owner", owner), targets.perOwner] as const]),
    ];
  };
  const isFree = (group: GroupId): boolean => limitsOf(group).every(([key, limit]) => (counts.get(key) ?? 0) < limit);
  /** @returns what ends the occupation */
  const occupy = (group: GroupId): (() => void) => {
    const keys = limitsOf(group).map(([key]) => key);
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
    return () => {
      for (const key of keys) {
        const count = (counts.get(key) ?? 0) - 1;
        if (count > 0) counts.set(key, count);
        else counts.delete(key);
      }
    };
  };

  const attempt = async (queue: QueueOptions, work: Work, isLastInSequence: boolean): Promise<JobResult> => {
    const { name, handler, timeoutSeconds = options.defaultTimeoutSeconds } = queue;
    const { claimed: group, abort } = work;
    const { target, key, attempt, job } = group;
    const base = { queue: name, target, key, attempt, job };
    if (job === undefined) return { ...base, outcome: "completed", isContinued: false };
    const retries = { ...defaultRetries, ...queue.retries };
    const effects: { pauseSeconds?: number; costSeconds?: number; isDropped?: boolean } = {};
    const running: RunningJob = {
      ...{ id: job.id, queue: name, key, data: job.data ?? {}, attempt: attempt + 1 },
      ...(job.data === null ? { changeId: job.position } : {}),
      isLastAttempt: attempt >= retries.limit,
      signal: abort.signal,
      target: {
        name: target,
        pause: (seconds) => {
          effects.pauseSeconds = seconds;
        },
        addCost: (seconds) => {
          effects.costSeconds = (effects.costSeconds ?? 0) + seconds;
        },
        drop: () => {
          effects.isDropped = true;
          void drop(name, target);
        },
      },
    };
    const start = performance.now();
    const end = (outcome: JobRun["outcome"]): void =>
      onRun?.({ queue: name, outcome, seconds: (performance.now() - start) / 1_000 });
    try {
      if (attempt > retries.limit) throw new Error("The process ended during the last attempt.");
      await withTimeout(running, timeoutSeconds, handler, () =>
        log.warn(
          { queue: name, job: job.id, key },
          "a job exceeds its timeout; later ones of its key wait until its handler ends",
        ),
      );
      end("completed");
      const isContinued = Object.keys(effects).length === 0 && !isLastInSequence && !isEnding;
      return { ...base, ...effects, outcome: "completed", isContinued };
    } catch (error) {
      const isFinal = running.isLastAttempt || isUnrecoverable(error);
      end(isFinal ? "failed" : "retried");
      const fields = { err: error, queue: name, job: job.id, key, attempt: running.attempt };
      if (isFinal) log.error(fields, "a job failed for good; service jobs lists it");
      else log.warn(fields, "a job failed; it runs again");
      const failure = { error: error instanceof Error ? error.message : String(error), isContinued: false };
      if (isFinal) return { ...base, ...effects, ...failure, outcome: "failed" };
      return { ...base, ...effects, ...failure, outcome: "retry", delaySeconds: retryDelay(retries, attempt) };
    }
  };

  const dropping = new Set<string>();
  const drop = async (queue: string, target: string): Promise<void> => {
    const id = JSON.stringify([queue, target]);
    if (dropping.has(id)) return;
    dropping.add(id);
    try {
      await dropTarget(run, tables, queue, target);
    } catch (error) {
      logFailure(error);
    } finally {
      dropping.delete(id);
    }
  };
  const logFailure = (error: unknown): void => log.error({ err: error }, "a query of the job queues failed");

  const start = (group: ClaimedJob, inSequence: number, release = occupy(group)): void => {
    const work: Work = { claimed: group, abort: new AbortController() };
    claimed.set(idOf(group), work);
    void attempt(byName.get(group.queue) as QueueOptions, work, inSequence >= maxInSequence).then((result) => {
      if (claimed.get(idOf(group)) !== work) return release();
      waiting.set(idOf(group), { release, inSequence });
      results.push(result);
      if (!isStoring) storing = store();
    });
  };
  /** What follows when a result is stored. */
  const waiting = new Map<string, { readonly release: () => void; readonly inSequence: number }>();

  const end = (id: string): void => {
    waiting.get(id)?.release();
    waiting.delete(id);
    claimed.delete(id);
    if (claimed.size === 0) onEmpty?.();
  };
  /** @returns the results that must be stored later */
  const storePart = async (part: readonly JobResult[]): Promise<readonly JobResult[]> => {
    const stored = await finishJobs(run, tables, part, lease);
    const next = new Map(stored.map((group) => [idOf(group), group]));
    for (const [id, group] of next) {
      const { release, inSequence } = waiting.get(id) ?? {};
      if (group.job === undefined || release === undefined || inSequence === undefined) end(id);
      else {
        waiting.delete(id);
        start(group, inSequence + 1, release);
      }
    }
    const rest = part.filter((result) => !next.has(idOf(result)));
    if (rest.length === 0) return rest;
    const held = new Set((await heldGroups(run, tables, rest.map(toId), lease.holder)).map(idOf));
    for (const result of rest) {
      if (held.has(idOf(result))) continue;
      log.warn({ queue: result.queue, key: result.key }, "the result of a job could not be stored; it may run again");
      end(idOf(result));
    }
    return rest.filter((result) => held.has(idOf(result)));
  };
  const store = async (): Promise<void> => {
    isStoring = true;
    while (results.length > 0) {
      const part = results.splice(0, maxResults);
      const rest = await storePart(part).catch((error: unknown) => {
        logFailure(error);
        return part;
      });
      results.unshift(...rest);
      wake();
      if (rest.length < part.length) continue;
      if (isClosed) break;
      await new Promise((resolve) => setTimeout(resolve, storePauseMs));
    }
    // In the same turn as the last look: a result that arrives later starts it again.
    isStoring = false;
  };

  /** @returns whether it has started a job */
  const claim = async (): Promise<boolean> => {
    const searches = [...byName.values()].flatMap(({ name, concurrency = 1, targets }) => {
      const free = concurrency - (counts.get(countKey(name)) ?? 0);
      if (free <= 0 || !options.isReady(name)) return [];
      return [{ queue: name, after: cursors.get(name) ?? "", perTarget: Math.min(free, targets?.max ?? free) }];
    });
    if (searches.length === 0) return false;
    const { groups, next } = await findDueGroups(run, tables, searches);
    for (const { queue } of searches) cursors.set(queue, next.get(queue) ?? "");
    const chosen: { readonly group: GroupId; readonly release: () => void }[] = [];
    for (const group of groups) {
      if (claimed.has(idOf(group)) || !isFree(group)) continue;
      chosen.push({ group, release: occupy(group) });
    }
    // The search continues behind these targets.
    if (chosen.length === 0) return next.size > 0 || searches.some(({ after }) => after !== "");
    const releases = new Map(chosen.map(({ group, release }) => [idOf(group), release]));
    try {
      const jobs = await claimGroups(
        run,
        tables,
        chosen.map(({ group }) => group),
        lease,
      );
      for (const job of jobs) {
        start(job, 1, releases.get(idOf(job)));
        releases.delete(idOf(job));
      }
      return jobs.length > 0;
    } finally {
      for (const release of releases.values()) release();
    }
  };
  const wake = (): void => {
    isWoken = true;
    endPause?.();
  };
  const pause = (): Promise<void> =>
    new Promise((resolve) => {
      if (isWoken || isEnding) return resolve();
      const timer = setTimeout(resolve, pollingSeconds * 1_000);
      endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const follow = async (): Promise<void> => {
    while (!isEnding) {
      isWoken = false;
      const hasMore = await claim().catch((error: unknown) => {
        logFailure(error);
        return false;
      });
      if (!hasMore) await pause();
      endPause = undefined;
    }
  };
  const renewal = setInterval(
    () => {
      const groups = [...claimed.values()].map(({ claimed: group }) => group);
      if (groups.length > 0) void renewGroups(run, tables, groups.map(toId), lease).catch(logFailure);
    },
    Math.min((leaseSeconds * 1_000) / 3, longestTimer),
  ).unref();
  const following = follow();
  return {
    wake,
    async finish() {
      isEnding = true;
      endPause?.();
      await following;
      if (claimed.size === 0) return;
      await new Promise<void>((resolve) => {
        onEmpty = resolve;
      });
    },
    async close() {
      [isEnding, isClosed] = [true, true];
      endPause?.();
      clearInterval(renewal);
      await following;
      await storing;
      const groups = [...claimed.values()];
      claimed.clear();
      for (const { abort } of groups) abort.abort(new Error("The service is stopping."));
      if (groups.length > 0)
        await releaseGroups(
          run,
          tables,
          groups.map(({ claimed: group }) => toId(group)),
          lease.holder,
        ).catch(logFailure);
    },
  };
}

const storePauseMs = 100;

const toId = ({ queue, target, key }: GroupId): GroupId => ({ queue, target, key });

/** Aborts the signal of a job after its timeout, and then fails it when its handler has ended. */
async function withTimeout(
  job: RunningJob,
  seconds: number,
  handler: QueueOptions["handler"],
  onTimeout: () => void,
): Promise<void> {
  const timeout = new AbortController();
  const expire = (): void => {
    onTimeout();
    timeout.abort(new Error(`The job exceeded its timeout of ${seconds} seconds.`));
  };
  const timer = setTimeout(expire, Math.min(seconds * 1_000, longestTimer));
  try {
    await handler({ ...job, signal: AbortSignal.any([job.signal, timeout.signal]) });
  } finally {
    clearTimeout(timer);
  }
  timeout.signal.throwIfAborted();
}
