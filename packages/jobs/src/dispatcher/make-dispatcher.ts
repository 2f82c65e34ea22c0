import type { Change, ChangeReader } from "@servicekit/changes";
import { longestTimer } from "@servicekit/core/internal";
import type { Database, Model } from "@servicekit/prisma";
import type { JobLog } from "../job-log.js";
import { noTarget } from "../ordered/send-jobs.js";
import { orderedId } from "../ordered-id.js";
import type { ChangeJobToSend, FailedChange, Queues } from "../queues.js";
import { UnrecoverableError } from "../unrecoverable-error.js";
import { boundedKey } from "./bounded-key.js";
import { changeJobId } from "./change-job-id.js";
import { type ConsumerLag, makePositions } from "./positions.js";

/** A job for a change; its id follows from the change. */
export interface ChangeJob extends Omit<ChangeJobToSend, "id" | "changeId"> {}

/** What is done with each committed change. */
export interface ChangeConsumer {
  /** Unique and permanent: its position in the log is stored under this name. */
  readonly name: string;
  /** Reads what {@link jobsOf} needs, before each batch of changes. If it throws, the batch is repeated. */
  prepare?(): Promise<void>;
  /** Returns the jobs of a change. If it throws, the change is set aside for this consumer: later ones do not wait. */
  jobsOf(change: Change): readonly ChangeJob[];
}

/** Options of {@link makeDispatcher}. */
export interface DispatcherOptions {
  readonly database: Database;
  /** The model of {@link readPositionModel}. */
  readonly positions: Model;
  /** The model of the change log. */
  readonly changes: Model;
  readonly reader: ChangeReader;
  /** A queue for changes that are set aside is defined in them. */
  readonly queues: Pick<Queues, "define" | "sendForChanges" | "addFailed" | "leadership" | "wake">;
  readonly consumers: readonly ChangeConsumer[];
  readonly log: JobLog;
  /** The maximum size of the states of changes, in bytes, if the consumers need no larger values. @default none */
  readonly maxChangeBytes?: number;
  /** Milliseconds between two looks for changes. @default 1000 */
  readonly intervalMs?: number;
  /** Calls a listener when there may be new changes, and returns a function that ends this. */
  readonly onSignal?: (listener: () => void) => () => void;
}

/** Turns committed changes into jobs. One process does so at a time. */
export interface Dispatcher {
  /** Creates the positions of new consumers, which receive the changes from now on, and follows the log. */
  start(): Promise<void>;
  /**
   * Hands over what is committed, and returns the number of changes: none while another process does so. For tests and programs of
   * your own.
   */
  dispatch(): Promise<number>;
  /** How far each consumer is behind; a new one is missing before {@link start}. */
  lag(): Promise<readonly ConsumerLag[]>;
  /** Ends after the hand-over that runs. */
  stop(): Promise<void>;
}

/** Maximum number of changes that are handed over in one transaction. */
const batchSize = 200;
/** Maximum pause in milliseconds after failures. */
const maxPauseMs = 30_000;

/** The number of failures after which a single change is set aside. */
const maxFailures = 5;
/** How long a leadership is not extended, in milliseconds. */
const renewMs = 3_000;

/**
 * Creates a dispatcher. It stores the jobs of changes and the position of their consumer in one transaction, so a crash
 * loses no change and repeats none. Any number of processes may run one; one at a time reads the log.
 */
export function makeDispatcher(options: DispatcherOptions): Dispatcher {
  const {
    database,
    positions,
    changes,
    reader,
    queues,
    consumers,
    log,
    maxChangeBytes,
    intervalMs = 1_000,
    onSignal,
  } = options;
  const stored = makePositions({ database, positions, changes });
  const byName = new Map(consumers.map((consumer) => [consumer.name, consumer]));
  const leadership = queues.leadership("changes");
  let renewedAt = Number.NEGATIVE_INFINITY;
  let limit = batchSize;
  /** The failures of single changes, by consumer and position. */
  const failures = new Map<string, number>();
  let isStopped = false;
  let isWoken = false;
  let endPause: (() => void) | undefined;
  let following: Promise<void> | undefined;
  let unsubscribe: (() => void) | undefined;

  const isLeader = async (): Promise<boolean> => {
    if (performance.now() - renewedAt < renewMs) return true;
    const start = performance.now();
    renewedAt = (await leadership.acquire()) ? start : Number.NEGATIVE_INFINITY;
    return renewedAt === start;
  };
  /** Runs a transaction that no earlier leader commits. */
  const asLeader = <Result>(work: (inside: Database) => Promise<Result>): Promise<Result> =>
    database.transaction(async (inside) => {
      await leadership.confirm(inside.client).catch((error: unknown) => {
        renewedAt = Number.NEGATIVE_INFINITY;
        throw error;
      });
      return work(inside);
    });

  /** Moves positions that the log does not contain any more, because it has assigned their ids again. */
  const continueFrom = async (from: bigint, lastId: bigint, group: readonly ChangeConsumer[]): Promise<number> => {
    reader.restart();
    const names = group.map(({ name }) => name);
    await asLeader((inside) => stored.move(inside, names, lastId, from));
    log.error(
      { consumers: names, lastId: String(lastId), from: String(from) },
      "the change log has assigned ids again, such as after TRUNCATE; its changes are handed over from the first new one",
    );
    return handOver(from, group);
  };

  /** Stores the jobs of changes for one consumer, with those for which it throws as failed ones. */
  const store = async (consumer: ChangeConsumer, batch: readonly Change[], lastId: bigint): Promise<void> => {
    await consumer.prepare?.();
    const { jobs, failed } = collectJobs(consumer, batch);
    await asLeader(async (inside) => {
      const moved = await stored.move(inside, [consumer.name], lastId, batch.at(-1)?.id ?? lastId);
      // A process of an earlier version has moved the position, and has sent the jobs.
      if (moved === 0) return;
      await queues.sendForChanges(jobs, { transaction: inside.client });
      for (const change of failed) await queues.addFailed(change, { transaction: inside.client });
    });
    for (const { changeId, error } of failed)
      log.error({ consumer: consumer.name, change: String(changeId), reason: error }, setAside);
    queues.wake(new Set(jobs.map(({ queue }) => queue)));
  };
  /** Sets a change aside that could not be read or stored several times, while the database responds. */
  const skip = async ({ name }: ChangeConsumer, lastId: bigint, reason: unknown): Promise<boolean> => {
    const key = `${name} ${lastId}`;
    const next = await stored.next(lastId);
    if (next === undefined) return false;
    const count = (failures.get(key) ?? 0) + 1;
    failures.set(key, count);
    if (count < maxFailures) return false;
    failures.delete(key);
    const error = messageOf(reason);
    const change = { queue: setAsideQueue, target: name, key: keyOf(next), changeId: next.id, error };
    await asLeader(async (inside) => {
      if ((await stored.move(inside, [name], lastId, next.id)) === 0) return;
      await queues.addFailed(change, { transaction: inside.client });
    });
    log.error({ err: reason, consumer: name, change: String(next.id) }, setAside);
    return true;
  };

  /** Hands over changes to the consumers that have read up to the same one. The error of one does not stop the others. */
  const handOver = async (lastId: bigint, group: readonly ChangeConsumer[]): Promise<number> => {
    const size = limit;
    let batch: readonly Change[] = [];
    const errors: (readonly [consumer: ChangeConsumer, error: unknown])[] = [];
    try {
      batch = await reader.read(lastId, size, { maxChangeBytes });
      // After the read, so that no change of another history of the log follows the position.
      const restart = lastId === 0n ? undefined : await reader.restartedFrom(lastId);
      if (restart !== undefined) return await continueFrom(restart, lastId, group);
      if (batch.length === 0) return 0;
    } catch (error) {
      errors.push(...group.map((consumer) => [consumer, error] as const));
    }
    for (const consumer of errors.length > 0 ? [] : group) {
      try {
        await store(consumer, batch, lastId);
      } catch (error) {
        errors.push([consumer, error]);
      }
    }
    let skipped = 0;
    for (const [consumer, error] of size === 1 ? errors : [])
      if (await skip(consumer, lastId, error).catch(() => false)) skipped++;
    const [first] = errors;
    if (first !== undefined && skipped < errors.length) {
      for (const [{ name: consumer }, err] of errors) log.error({ err, consumer }, repeated);
      throw first[1];
    }
    return batch.length + skipped;
  };
  const dispatch = async (): Promise<number> => {
    if (!(await isLeader())) return 0;
    const groups = new Map<bigint, ChangeConsumer[]>();
    for (const { name, lastId } of await stored.read(names)) {
      const consumer = byName.get(name);
      if (consumer !== undefined) groups.set(lastId, [...(groups.get(lastId) ?? []), consumer]);
    }
    let passed = 0;
    const errors: unknown[] = [];
    for (const [lastId, group] of groups) {
      try {
        passed += await handOver(lastId, group);
      } catch (error) {
        errors.push(error);
      }
    }
    // Smaller batches, because their size or a single change may be the reason.
    limit = errors.length > 0 ? Math.ceil(limit / 2) : Math.min(batchSize, limit * 2);
    if (errors.length > 0 && passed === 0) throw errors[0];
    return passed;
  };
  const names = consumers.map(({ name }) => name);

  queues.define({
    ...{ name: setAsideQueue, ordered: true, retries: { limit: 0 } },
    handler: async ({ changeId, target, key }) => {
      const consumer = byName.get(target?.name ?? "");
      if (consumer === undefined) throw new UnrecoverableError(`There is no consumer ${target?.name} of changes.`);
      const change = changeId === undefined ? undefined : await reader.find(changeId);
      // An earlier one with this id may have been the change of another row.
      if (change === undefined || keyOf(change) !== key)
        throw new UnrecoverableError("The change is no longer in the log.");
      await consumer.prepare?.();
      const jobs = jobsOf(consumer, change);
      await database.transaction((inside) => queues.sendForChanges(jobs, { transaction: inside.client }));
      queues.wake(new Set(jobs.map(({ queue }) => queue)));
    },
  });

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      if (isWoken || isStopped) return resolve();
      const timer = setTimeout(resolve, Math.min(ms, longestTimer));
      endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const follow = async (): Promise<void> => {
    for (let failed = 0; !isStopped; ) {
      isWoken = false;
      try {
        const passed = await dispatch();
        failed = 0;
        if (passed > 0) continue;
      } catch (error) {
        failed++;
        log.error({ err: error, failures: failed }, repeated);
      }
      await pause(failed === 0 ? intervalMs : Math.min(intervalMs * 2 ** failed, maxPauseMs));
      endPause = undefined;
    }
  };
  const wake = (): void => {
    isWoken = true;
    endPause?.();
  };

  return {
    async start() {
      await stored.create(names);
      unsubscribe = onSignal?.(wake);
      following ??= follow();
    },
    dispatch,
    lag: () => stored.lag(names),
    async stop() {
      isStopped = true;
      unsubscribe?.();
      endPause?.();
      await following;
      renewedAt = Number.NEGATIVE_INFINITY;
      await leadership.release().catch(() => undefined);
    },
  };
}

/** The queue of changes that could not be handed over to a consumer, which is their target. */
const setAsideQueue = "changes.set-aside";
const setAside = "a change could not be handed over and was set aside; service jobs lists it, and can try it again";
const repeated = "changes could not be handed over; this is repeated";

/** The key of a change that is set aside. */
const keyOf = ({ model, key }: Pick<Change, "model" | "key">): string => boundedKey(`${model} ${key}`);

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The jobs of a change with ids that follow from it. */
const jobsOf = (consumer: ChangeConsumer, change: Change): readonly ChangeJobToSend[] =>
  consumer.jobsOf(change).map((job, index) => {
    const { queue, target = noTarget, data } = job;
    const key = boundedKey(job.key ?? "");
    const id =
      data === undefined
        ? changeJobId(change, { queue, target, key })
        : orderedId(change.id, `${consumer.name} ${index} ${change.transaction}`);
    return { ...job, ...(job.key === undefined ? {} : { key }), changeId: change.id, id };
  });

function collectJobs(consumer: ChangeConsumer, changes: readonly Change[]) {
  const jobs: ChangeJobToSend[] = [];
  const failed: FailedChange[] = [];
  for (const change of changes) {
    try {
      jobs.push(...jobsOf(consumer, change));
    } catch (error) {
      const place = { queue: setAsideQueue, target: consumer.name, key: keyOf(change), changeId: change.id };
      failed.push({ ...place, error: messageOf(error) });
    }
  }
  return { jobs, failed };
}
