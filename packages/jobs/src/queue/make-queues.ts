import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { StartupError } from "@servicekit/core";
import type { PrismaHandle } from "@servicekit/prisma";
import type { JobWithMetadata, PgBoss, QueueResult } from "pg-boss";
import { failedQueue } from "../failed-queue.js";
import type { JobLog } from "../job-log.js";
import { makeOrderedQueues } from "../ordered/ordered-queues.js";
import type { RunningQueues } from "../ordered/run-queues.js";
import { noTarget, type OrderedJob } from "../ordered/send-jobs.js";
import { startOrdered } from "../ordered/start-ordered.js";
import { orderedId } from "../ordered-id.js";
import type { JobRun, JobToSend, QueueOptions, Queues, RunningJob, SendOptions } from "../queues.js";
import { parseSchedule } from "../schedules/parse-schedule.js";
import { runSchedules } from "../schedules/run-schedules.js";
import { isUnrecoverable } from "../unrecoverable-error.js";
import { checkJob } from "./check-job.js";
import { countJobs } from "./count-jobs.js";
import { makeFailedJobs } from "./failed-jobs.js";
import { openBoss } from "./open-boss.js";

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
/** The duration of an attempt in seconds. */
const defaultTimeout = 900;
/** How long jobs wait in their queue, and failed ones for a person, in seconds. */
const retention = 30 * day;
/** How long completed jobs are stored, in seconds; longer than an occurrence of a schedule may be late. */
const completedRetention = day;

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
  let running: RunningQueues | undefined;
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

  const ordered = makeOrderedQueues(async () => (await open()).connection, schema);
  const isOrdered = (name: string): boolean => definedQueue(name).ordered === true;

  const wake: Queues["wake"] = (queues) => {
    running?.wake();
    if (workers.size === 0) return;
    void opening?.then(
      ({ boss }) => {
        for (const queue of queues) for (const worker of workers.get(queue) ?? []) boss.notifyWorker(worker);
      },
      () => undefined,
    );
  };
  const sendAll = async (queue: string, jobs: readonly JobToSend[], sent: SendOptions): Promise<readonly string[]> => {
    definedQueue(queue);
    if (jobs.length === 0) return [];
    for (const job of jobs) checkJob(queue, job);
    const { transaction } = sent;
    if (isOrdered(queue)) {
      const ids = await ordered.send(
        jobs.map((job) => ({ ...toOrdered(queue, job), isUnique: job.id !== undefined })),
        transaction,
      );
      if (transaction === undefined) wake([queue]);
      return ids;
    }
    const { boss, fromPrisma } = await open();
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

  const failures = makeFailedJobs({ boss, definedQueue });

  let count = 0;
  /** Jobs of one statement have the same time, so their ids decide the order. */
  const makeId = (): string => orderedId((BigInt(Date.now()) << 16n) + BigInt(count++ % 65_536), randomUUID());

  const runJob = async (queue: QueueOptions, given: JobWithMetadata): Promise<Outcome> => {
    const { name } = queue;
    const job = toRunningJob(name, given);
    const start = performance.now();
    const end = (outcome: JobRun["outcome"]): void =>
      options.onRun?.({ queue: name, outcome, seconds: (performance.now() - start) / 1_000 });
    try {
      await queue.handler(job);
      end("completed");
      return { id: given.id, status: "completed" };
    } catch (error) {
      const isFinal = job.isLastAttempt || isUnrecoverable(error);
      end(isFinal ? "failed" : "retried");
      const fields = { err: error, queue: name, job: job.id, key: job.key, attempt: job.attempt };
      if (isFinal) log.error(fields, "a job failed for good; service jobs lists it");
      else log.warn(fields, "a job failed; it runs again");
      return { id: given.id, status: isFinal ? "deadletter" : "failed", output: toOutput(error) };
    }
  };
  const startWorker = async (boss: PgBoss, queue: QueueOptions): Promise<void> => {
    const settings = {
      includeMetadata: true,
      perJobResults: true,
      pollingIntervalSeconds: pollingSeconds,
      batchSize: 1,
    } as const;
    let worker = "";
    worker = await boss.work<object, Outcome, typeof settings>(queue.name, settings, async (jobs) => {
      const outcomes = await Promise.all(jobs.map((job) => runJob(queue, job)));
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
      const { boss: opened, connection } = await open();
      for (const queue of defined.values()) {
        if (queue.ordered === true) continue;
        for (let index = 0; index < (queue.concurrency ?? 1); index++) await startWorker(opened, queue);
      }
      // Without ordered queues it deletes old jobs of earlier ones.
      const queues = [...defined.values()].filter((queue) => queue.ordered === true);
      running ??= startOrdered({
        ...{ run: connection.run, schema, queues, log, onRun: options.onRun, pollingSeconds },
        ...{ leaseSeconds: recoverySeconds, defaultTimeoutSeconds: defaultTimeout },
      });
    },
    send: async (queue, job, sent = {}) => (await sendAll(queue, [job], sent))[0],
    sendAll: async (queue, jobs, sent = {}) => void (await sendAll(queue, jobs, sent)),
    async sendForChanges(jobs, { transaction }) {
      const inOrder: OrderedJob[] = [];
      const others = new Map<string, JobToSend[]>();
      for (const { queue, changeId, data, ...job } of jobs) {
        if (isOrdered(queue)) inOrder.push({ ...toOrdered(queue, { ...job, data }), position: changeId });
        else if (data === undefined) throw new TypeError(`Jobs of the queue ${queue} need data: it is not ordered.`);
        else others.set(queue, [...(others.get(queue) ?? []), { ...job, data }]);
      }
      if (inOrder.length > 0) await ordered.send(inOrder, transaction);
      for (const [queue, part] of others) await sendAll(queue, part, { transaction });
    },
    addFailed: (change, { transaction }) => ordered.addFailed(change, transaction),
    firstNeededChange: ordered.firstNeededChange,
    leadership: ordered.leadership,
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
    async counts() {
      const names = [...defined.keys()];
      const opened = await boss();
      const [first, second] = [names.filter((name) => !isOrdered(name)), names.filter(isOrdered)];
      const counted = [...(await countJobs(opened, schema, first)), ...(await ordered.counts(second))];
      return counted.toSorted((one, other) => names.indexOf(one.name) - names.indexOf(other.name));
    },
    failed: (queue, page) => (isOrdered(queue) ? ordered : failures).failed(queue, page),
    async retryFailed(queue, ids) {
      const moved = await (isOrdered(queue) ? ordered : failures).retryFailed(queue, ids);
      if (moved > 0) wake([queue]);
      return moved;
    },
    deleteFailed: (queue, id) => (isOrdered(queue) ? ordered : failures).deleteFailed(queue, id),
    async finish(timeoutMs) {
      stopSchedules?.();
      const opened = await opening?.catch(() => undefined);
      if (opened === undefined) return;
      const ended = Promise.all([running?.finish(), ...[...workers.keys()].map((queue) => opened.boss.offWork(queue))]);
      workers.clear();
      const late = new AbortController();
      await Promise.race([ended, wait(timeoutMs, undefined, { signal: late.signal }).catch(() => undefined)]);
      late.abort();
    },
    async close(timeoutMs = 10_000) {
      isClosed = true;
      stopSchedules?.();
      const opened = await opening?.catch(() => undefined);
      if (running !== undefined) {
        const late = new AbortController();
        const ended = running.finish();
        await Promise.race([ended, wait(timeoutMs, undefined, { signal: late.signal }).catch(() => undefined)]);
        late.abort();
        await running.close();
      }
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
  const stored = existing.get(name);
  const policy = ordered ? orderedPolicy : "standard";
  if (stored !== undefined && stored.policy !== policy) {
    const change = ordered ? "is not ordered in the database, but here" : "is ordered in the database, but not here";
    const message = `${change}. Rename it, or delete it with its jobs: SELECT "${schema}".delete_queue('${name}');`;
    throw new StartupError([{ where: `queue ${name}`, message }]);
  }
  if (!existing.has(deadLetter)) await boss.createQueue(deadLetter, { retentionSeconds: retention });
  const options = {
    ...{ retryLimit: limit, retryDelay: delaySeconds, retryBackoff: backoff },
    ...(backoff ? { retryDelayMax: maxDelaySeconds } : {}),
    ...{ expireInSeconds: timeoutSeconds, heartbeatSeconds, deadLetter },
    ...{ retentionSeconds: retention, deleteAfterSeconds: completedRetention },
  };
  if (stored === undefined) await boss.createQueue(name, { policy, ...options });
  else await boss.updateQueue(name, options);
}

/** The policy of ordered queues, which are empty in pg-boss: their jobs are stored by this package, and jobs of earlier versions move. */
const orderedPolicy = "key_strict_fifo";

/** @throws {TypeError} for a job without a key */
function toOrdered(
  queue: string,
  {
    key = "",
    target = noTarget,
    ...job
  }: Omit<OrderedJob, "queue" | "key" | "target"> & Pick<JobToSend, "key" | "target">,
): OrderedJob {
  if (key === "") throw new TypeError(`Jobs of the ordered queue ${queue} need a key.`);
  return { queue, key, target, ...job };
}
