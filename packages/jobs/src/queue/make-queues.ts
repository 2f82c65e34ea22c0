import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { StartupError } from "@servicekit/core";
import type { PrismaHandle } from "@servicekit/prisma";
import type { JobWithMetadata, PgBoss, QueueResult } from "pg-boss";
import { parseSchedule } from "../schedules/parse-schedule.js";
import { runSchedules } from "../schedules/run-schedules.js";
import { checkJob } from "./check-job.js";
import { countJobs } from "./count-jobs.js";
import { failedQueue, makeFailedJobs } from "./failed-jobs.js";
import type { JobLog } from "./job-log.js";
import { openBoss } from "./open-boss.js";
import { orderedId } from "./ordered-id.js";
import type { JobRun, JobToSend, QueueOptions, Queues, RunningJob, SendOptions } from "./queues.js";
import { makeRunOrdered } from "./run-ordered.js";
import { isUnrecoverable } from "./unrecoverable-error.js";

/** Options of {@link makeQueues}. */
export interface QueuesOptions {
  /** The connection string of the database. It may name several hosts: then the queues use the one that accepts writes. */
  readonly url: string;
  readonly log: JobLog;
  /** The database schema of the queues. @default "servicekit_jobs" */
  readonly schema?: string;
  /** Maximum number of connections. @default 4 */
  readonly poolSize?: number;
  /** Seconds after which the jobs of a killed process run again; at least 10. @default 30 */
  readonly recoverySeconds?: number;
  /** Seconds between two looks for new jobs in an idle queue; at least 0.5. @default 2 */
  readonly pollingSeconds?: number;
  /** Called after each attempt. */
  readonly onRun?: (run: JobRun) => void;
}

const day = 86_400;
/** The duration of an attempt in seconds, and the maximum of pg-boss. */
const [defaultTimeout, maxTimeout] = [900, day];
/** How long jobs wait in their queue, and failed ones for a person, in seconds. */
const retention = 30 * day;
/** How long completed jobs are stored, in seconds; longer than an occurrence of a schedule may be late. */
const completedRetention = day;
/** The interval in milliseconds in which keys of ordered queues are released from failed jobs of other processes. */
const releaseMs = 10_000;

/**
 * Creates queues of jobs in PostgreSQL, with pg-boss. Nothing connects before the first use. It works through a pooler in
 * transaction mode.
 */
export function makeQueues(options: QueuesOptions): Queues {
  const { url, log, schema = "servicekit_jobs", poolSize = 4, recoverySeconds = 30, pollingSeconds = 2 } = options;
  const defined = new Map<string, QueueOptions>();
  /** The ids of the workers of this process by queue. */
  const workers = new Map<string, string[]>();
  let opening: ReturnType<typeof openAll> | undefined;
  let releasing: NodeJS.Timeout | undefined;
  let stopSchedules: (() => void) | undefined;
  let isClosed = false;

  const openAll = async () => {
    const supervisionSeconds = Math.max(1, Math.round(recoverySeconds / 3));
    const opened = await openBoss({ url, schema, poolSize, supervisionSeconds, log });
    try {
      const existing = new Map((await opened.boss.getQueues()).map((queue) => [queue.name, queue]));
      for (const queue of defined.values())
        await createQueue(opened.boss, queue, { existing, schema, heartbeatSeconds: recoverySeconds });
    } catch (error) {
      await opened.close({ graceful: false }).catch(() => undefined);
      throw error;
    }
    return opened;
  };
  const open = (): ReturnType<typeof openAll> => {
    if (isClosed) return Promise.reject(new Error("The job queues are closed."));
    opening ??= openAll().catch((error) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  const boss = async (): Promise<PgBoss> => (await open()).boss;
  const definedQueue = (name: string): QueueOptions => {
    const found = defined.get(name);
    if (found === undefined) throw new TypeError(`There is no job queue ${JSON.stringify(name)}.`);
    return found;
  };

  const wake: Queues["wake"] = (queues) => {
    if (workers.size === 0) return;
    void opening?.then(
      ({ boss }) => {
        for (const queue of queues) for (const worker of workers.get(queue) ?? []) boss.notifyWorker(worker);
      },
      () => undefined,
    );
  };
  const sendAll = async (queue: string, jobs: readonly JobToSend[], sent: SendOptions): Promise<readonly string[]> => {
    const { ordered = false } = definedQueue(queue);
    if (jobs.length === 0) return [];
    for (const job of jobs) checkJob(queue, job);
    if (ordered && jobs.some(({ key }) => key === undefined || key === ""))
      throw new TypeError(`Jobs of the ordered queue ${queue} need a key.`);
    const { boss, fromPrisma } = await open();
    const { transaction } = sent;
    const stored = await boss.insert(
      queue,
      jobs.map(({ data, id = makeId(), key, startAfter }) => ({
        ...{ id, data },
        ...(key === undefined ? {} : { singletonKey: key }),
        ...(startAfter === undefined ? {} : { startAfter }),
      })),
      { returnId: true, ...(transaction === undefined ? {} : { db: fromPrisma(transaction as PrismaTransaction) }) },
    );
    if (transaction === undefined) wake([queue]);
    return stored ?? [];
  };

  let count = 0;
  /** Jobs of one statement have the same time, so their ids decide the order. */
  const makeId = (): string => orderedId((BigInt(Date.now()) << 16n) + BigInt(count++ % 65_536), randomUUID());

  const runJob = async (queue: QueueOptions, runHandler: RunHandler, given: JobWithMetadata): Promise<Outcome> => {
    const { name } = queue;
    const job = toRunningJob(name, given);
    const start = performance.now();
    const end = (outcome: JobRun["outcome"]): void =>
      options.onRun?.({ queue: name, outcome, seconds: (performance.now() - start) / 1_000 });
    try {
      await runHandler(job);
      end("completed");
      return { id: given.id, status: "completed" };
    } catch (error) {
      const isFinal = job.isLastAttempt || isUnrecoverable(error);
      end(isFinal ? "failed" : "retried");
      const fields = { err: error, queue: name, job: job.id, key: job.key, attempt: job.attempt };
      if (isFinal) log.error(fields, "a job failed for good; service jobs lists it");
      else log.warn(fields, "a job failed; it runs again");
      if (isFinal && queue.ordered === true) setTimeout(() => void release(name), 250).unref();
      return { id: given.id, status: isFinal ? "deadletter" : "failed", output: toOutput(error) };
    }
  };
  /** A failed job is stored in the queue of failed jobs; until it is deleted here too, later jobs of its key wait. */
  const release = async (name: string): Promise<void> => {
    if (isClosed) return;
    try {
      const { boss } = await open();
      for (const key of await boss.getBlockedKeys(name)) {
        const jobs = await boss.findJobs(name, { key });
        const failed = jobs.filter(({ state }) => state === "failed").map(({ id }) => id);
        if (failed.length > 0) await boss.deleteJob(name, failed);
      }
    } catch (error) {
      if (!isClosed) log.error({ err: error, queue: name }, "a query of the job queues failed");
    }
  };
  /** Of ordered queues this package limits the duration: pg-boss would run the next job of a key beside a handler that still runs. */
  const makeRunHandler = ({ name, ordered, handler, timeoutSeconds = defaultTimeout }: QueueOptions): RunHandler => {
    if (ordered !== true) return handler;
    const onTimeout = ({ id: job, key }: RunningJob): void =>
      log.warn(
        { queue: name, job, key },
        "a job exceeds its timeout; later ones of its key wait until its handler ends",
      );
    const runOrdered = makeRunOrdered({ timeoutSeconds, onTimeout });
    return (job) => runOrdered(job, handler);
  };
  const startWorker = async (boss: PgBoss, queue: QueueOptions, runHandler: RunHandler): Promise<void> => {
    const settings = {
      includeMetadata: true,
      perJobResults: true,
      pollingIntervalSeconds: pollingSeconds,
      batchSize: 1,
    } as const;
    let worker = "";
    worker = await boss.work<object, Outcome, typeof settings>(queue.name, settings, async (jobs) => {
      const outcomes = await Promise.all(jobs.map((job) => runJob(queue, runHandler, job)));
      // There may be more: it looks for the next job without a pause.
      boss.notifyWorker(worker);
      return outcomes;
    });
    const known = workers.get(queue.name);
    if (known === undefined) workers.set(queue.name, [worker]);
    else known.push(worker);
  };

  return {
    get names() {
      return [...defined.keys()];
    },
    define(queue) {
      const { name } = queue;
      if (!/^[\w.\-/]+$/.test(name)) throw new TypeError(`Invalid queue name ${JSON.stringify(name)}.`);
      if (defined.has(name)) throw new TypeError(`The job queue ${name} is defined twice.`);
      if (opening !== undefined) throw new TypeError(`Define the job queue ${name} before the first job is sent.`);
      defined.set(name, queue as unknown as QueueOptions);
    },
    open: async () => void (await open()),
    async run() {
      const opened = await boss();
      for (const queue of defined.values()) {
        const runHandler = makeRunHandler(queue);
        for (let index = 0; index < (queue.concurrency ?? 1); index++) await startWorker(opened, queue, runHandler);
      }
      const ordered = [...defined.values()].filter((queue) => queue.ordered === true);
      if (ordered.length === 0) return;
      releasing = setInterval(() => {
        for (const { name } of ordered) void release(name);
      }, releaseMs).unref();
    },
    send: async (queue, job, sent = {}) => (await sendAll(queue, [job], sent))[0],
    sendAll: async (queue, jobs, sent = {}) => void (await sendAll(queue, jobs, sent)),
    wake,
    async setSchedules(schedules) {
      const running = [...schedules].map(([name, { cron, timeZone = "UTC" }]) => {
        definedQueue(name);
        return { name, occurrences: parseSchedule(cron, timeZone) };
      });
      const opened = await boss();
      await deleteStoredSchedules(opened);
      stopSchedules?.();
      stopSchedules = runSchedules({
        schedules: running,
        now: () => readDatabaseTime(opened),
        async send(name, occurrence) {
          const id = orderedId(BigInt(occurrence), `schedule ${name}`);
          await sendAll(name, [{ data: schedules.get(name)?.data ?? {}, id }], {});
        },
        onError: (error) => {
          if (!isClosed) log.error({ err: error }, "a query of the job queues failed");
        },
      });
    },
    counts: async () => countJobs(await boss(), schema, [...defined.keys()]),
    ...makeFailedJobs({ boss, definedQueue, wake }),
    async finish(timeoutMs) {
      clearInterval(releasing);
      stopSchedules?.();
      const opened = await opening?.catch(() => undefined);
      if (opened === undefined) return;
      const ended = Promise.all([...workers.keys()].map((queue) => opened.boss.offWork(queue)));
      workers.clear();
      const late = new AbortController();
      await Promise.race([ended, wait(timeoutMs, undefined, { signal: late.signal }).catch(() => undefined)]);
      late.abort();
    },
    async close(timeoutMs = 10_000) {
      isClosed = true;
      clearInterval(releasing);
      stopSchedules?.();
      const opened = await opening?.catch(() => undefined);
      await opened?.close({ graceful: true, timeout: timeoutMs });
    },
  };
}

/** Deletes the schedules that earlier versions stored: pg-boss would send their jobs in a process of such a version. */
async function deleteStoredSchedules(boss: PgBoss): Promise<void> {
  for (const { name, key } of await boss.getSchedules()) await boss.unschedule(name, key);
}

async function readDatabaseTime(boss: PgBoss): Promise<number> {
  const sql = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now";
  const { rows } = await boss.getDb().executeSql(sql);
  return Math.floor((rows as readonly { readonly now: number }[])[0]?.now ?? Date.now());
}

type PrismaTransaction = PrismaHandle & { $queryRawUnsafe<T>(query: string, ...values: unknown[]): Promise<T> };

type RunHandler = QueueOptions["handler"];

interface Outcome {
  readonly id: string;
  readonly status: "completed" | "failed" | "deadletter";
  readonly output?: object;
}

const toRunningJob = (queue: string, job: JobWithMetadata): RunningJob => ({
  id: job.sourceRootId ?? job.id,
  queue,
  key: job.singletonKey ?? undefined,
  data: job.data,
  attempt: job.retryCount + 1,
  isLastAttempt: job.retryCount >= job.retryLimit,
  signal: job.signal,
});

function toOutput(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack } = error;
  return { name, message, stack };
}

interface CreateContext {
  readonly existing: ReadonlyMap<string, QueueResult>;
  readonly schema: string;
  readonly heartbeatSeconds: number;
}

/** Creates a queue with its queue of failed jobs, or changes the options of an existing one. */
async function createQueue(
  boss: PgBoss,
  { name, retries = {}, ordered = false, timeoutSeconds = defaultTimeout }: QueueOptions,
  { existing, schema, heartbeatSeconds }: CreateContext,
): Promise<void> {
  const { limit = 5, delaySeconds = 5, backoff = true, maxDelaySeconds = 3_600 } = retries;
  const deadLetter = failedQueue(name);
  const policy = ordered ? "key_strict_fifo" : "standard";
  const options = {
    ...{ retryLimit: limit, retryDelay: delaySeconds, retryBackoff: backoff },
    ...(backoff ? { retryDelayMax: maxDelaySeconds } : {}),
    ...{ expireInSeconds: ordered ? maxTimeout : timeoutSeconds, heartbeatSeconds, deadLetter },
    ...{ retentionSeconds: retention, deleteAfterSeconds: completedRetention },
  };
  if (!existing.has(deadLetter)) await boss.createQueue(deadLetter, { retentionSeconds: retention });
  const found = existing.get(name);
  if (found === undefined) await boss.createQueue(name, { policy, ...options });
  else if (found.policy !== policy) {
    const change = ordered ? "is not ordered in the database, but here" : "is ordered in the database, but not here";
    const message = `${change}. Rename it, or delete it with its jobs: SELECT "${schema}".delete_queue('${name}');`;
    throw new StartupError([{ where: `queue ${name}`, message }]);
  } else await boss.updateQueue(name, options);
}
