import type { Change, ChangeReader } from "@servicekit/changes";
import { longestTimer } from "@servicekit/core/internal";
import type { Database, Model } from "@servicekit/prisma";
import type { JobLog } from "../queue/job-log.js";
import { orderedId } from "../queue/ordered-id.js";
import type { JobToSend, Queues } from "../queue/queues.js";

/** A job for a change; its id follows from the change. */
export interface ChangeJob extends Omit<JobToSend, "id"> {
  readonly queue: string;
}

/** What is done with each committed change. */
export interface ChangeConsumer {
  /** Unique and permanent: its position in the log is stored under this name. */
  readonly name: string;
  /**
   * Returns the jobs of a change. If it throws, the error is logged, and the change is passed again until it returns:
   * later changes wait.
   */
  jobsOf(change: Change): readonly ChangeJob[] | Promise<readonly ChangeJob[]>;
}

/** Options of {@link makeDispatcher}. */
export interface DispatcherOptions {
  readonly database: Database;
  /** The model of {@link readPositionModel}. */
  readonly positions: Model;
  /** The model of the change log. */
  readonly changes: Model;
  readonly reader: ChangeReader;
  readonly queues: Pick<Queues, "sendAll" | "wake">;
  readonly consumers: readonly ChangeConsumer[];
  readonly log: JobLog;
  /** Milliseconds between two looks for changes. @default 1000 */
  readonly intervalMs?: number;
  /** Calls a listener when there may be new changes, and returns a function that ends this. */
  readonly onSignal?: (listener: () => void) => () => void;
}

/** How far a consumer is behind. */
export interface ConsumerLag {
  /** The name of the consumer. */
  readonly consumer: string;
  /** The number of changes that are committed and not handed over. */
  readonly changes: number;
  /** The age of the oldest of them in seconds; 0 without any. */
  readonly seconds: number;
}

/** Turns committed changes into jobs. */
export interface Dispatcher {
  /** Creates the positions of new consumers, which receive the changes from now on, and follows the log. */
  start(): Promise<void>;
  /** Hands over what is committed, and returns the number of changes; for tests and programs of your own. */
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

interface Position {
  readonly name: string;
  readonly lastId: bigint;
}

/**
 * Creates a dispatcher. It stores the jobs of changes and the position of their consumer in one transaction, so a crash
 * loses no change and repeats none. Any number of processes may run one.
 */
export function makeDispatcher(options: DispatcherOptions): Dispatcher {
  const { database, positions, changes, reader, queues, consumers, log, intervalMs = 1_000, onSignal } = options;
  const names = consumers.map(({ name }) => name);
  const byName = new Map(consumers.map((consumer) => [consumer.name, consumer]));
  let limit = batchSize;
  let isStopped = false;
  let isWoken = false;
  let endPause: (() => void) | undefined;
  let following: Promise<void> | undefined;
  let unsubscribe: (() => void) | undefined;

  const readPositions = async (of: Database = database): Promise<readonly Position[]> => {
    const rows = await of.of(positions).findMany({
      where: { name: { in: names } },
      select: { name: true, lastId: true },
    });
    return rows as unknown as readonly Position[];
  };
  const createPositions = async (): Promise<void> => {
    const known = new Set((await readPositions()).map(({ name }) => name));
    const missing = names.filter((name) => !known.has(name));
    if (missing.length === 0) return;
    const [last] = await database.of(changes).findMany({ orderBy: [{ id: "desc" }], take: 1, select: { id: true } });
    for (const name of missing) {
      await database
        .of(positions)
        .create({ data: { name, lastId: last?.id ?? 0n }, select: { name: true } })
        // Another process was faster.
        .catch(async (error: unknown) => {
          if (!(await readPositions()).some((position) => position.name === name)) throw error;
        });
    }
  };

  const countAfter = async (lastId: bigint): Promise<Omit<ConsumerLag, "consumer">> => {
    const where = { id: { gt: lastId } };
    const [oldest] = await database
      .of(changes)
      .findMany({ where, orderBy: [{ id: "asc" }], take: 1, select: { time: true } });
    if (oldest === undefined) return { changes: 0, seconds: 0 };
    const seconds = Math.max(0, (Date.now() - Number(new Date(oldest.time as Date))) / 1_000);
    return { changes: await database.of(changes).count({ where }), seconds };
  };

  /** Moves positions that the log does not contain any more, because it has assigned their ids again. */
  const continueFrom = async (from: bigint, lastId: bigint, consumers: readonly ChangeConsumer[]): Promise<number> => {
    reader.restart();
    const where = { name: { in: consumers.map(({ name }) => name) }, lastId };
    await database.of(positions).updateMany({ where, data: { lastId: from }, select: { name: true } });
    log.error(
      { consumers: where.name.in, lastId: String(lastId), from: String(from) },
      "the change log has assigned ids again, such as after TRUNCATE; its changes are handed over from the first new one",
    );
    return handOver(from, consumers);
  };

  /** The jobs of consumers by their queues. The error of one consumer does not stop the others. */
  const collectJobs = async (consumers: readonly ChangeConsumer[], changes: readonly Change[]) => {
    const jobs: { readonly consumer: string; readonly byQueue: ReadonlyMap<string, readonly JobToSend[]> }[] = [];
    const errors: unknown[] = [];
    for (const consumer of consumers) {
      try {
        jobs.push({ consumer: consumer.name, byQueue: await jobsByQueue(consumer, changes) });
      } catch (err) {
        errors.push(err);
        log.error({ err, consumer: consumer.name }, "the changes of a consumer could not be read; this is repeated");
      }
    }
    if (jobs.length === 0) throw errors[0];
    return jobs;
  };

  /** Hands over changes to the consumers that have read up to the same one. */
  const handOver = async (lastId: bigint, consumers: readonly ChangeConsumer[]): Promise<number> => {
    const read = await reader.read(lastId, limit);
    // After the read, so that no change of another history of the log follows the position.
    const restart = lastId === 0n ? undefined : await reader.restartedFrom(lastId);
    if (restart !== undefined) return continueFrom(restart, lastId, consumers);
    const last = read.at(-1);
    if (last === undefined) return 0;
    const jobs = await collectJobs(consumers, read);
    const sentTo = await database.transaction(async (inside) => {
      const sent = new Set<string>();
      for (const { consumer: name, byQueue } of jobs) {
        // Locks the position. Where another process has moved it, that one has sent the jobs.
        const moved = await inside
          .of(positions)
          .updateMany({ where: { name, lastId }, data: { lastId: last.id }, select: { name: true } });
        if (moved.length === 0) continue;
        for (const [queue, all] of byQueue) {
          for (const part of byLength(all)) await queues.sendAll(queue, part, { transaction: inside.client });
          sent.add(queue);
        }
      }
      return sent;
    });
    queues.wake(sentTo);
    return read.length;
  };
  const dispatch = async (): Promise<number> => {
    const groups = new Map<bigint, ChangeConsumer[]>();
    for (const { name, lastId } of await readPositions()) {
      const consumer = byName.get(name);
      if (consumer === undefined) continue;
      const group = groups.get(lastId);
      if (group === undefined) groups.set(lastId, [consumer]);
      else group.push(consumer);
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
    // Smaller batches, because their size may be the reason.
    limit = errors.length > 0 ? Math.ceil(limit / 2) : Math.min(batchSize, limit * 2);
    if (errors.length > 0 && passed === 0) throw errors[0];
    for (const err of errors) log.error({ err }, "changes could not be handed over; this is repeated");
    return passed;
  };

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
    for (let failures = 0; !isStopped; ) {
      isWoken = false;
      try {
        const passed = await dispatch();
        failures = 0;
        if (passed > 0) continue;
      } catch (error) {
        failures++;
        log.error({ err: error, failures }, "changes could not be handed over; this is repeated");
      }
      await pause(failures === 0 ? intervalMs : Math.min(intervalMs * 2 ** failures, maxPauseMs));
      endPause = undefined;
    }
  };
  const wake = (): void => {
    isWoken = true;
    endPause?.();
  };

  return {
    async start() {
      await createPositions();
      unsubscribe = onSignal?.(wake);
      following ??= follow();
    },
    dispatch,
    async lag() {
      const read = await readPositions();
      const found = new Map<bigint, Omit<ConsumerLag, "consumer">>();
      for (const lastId of new Set(read.map(({ lastId }) => lastId))) found.set(lastId, await countAfter(lastId));
      return read.map(({ name: consumer, lastId }) => ({ consumer, changes: 0, seconds: 0, ...found.get(lastId) }));
    },
    async stop() {
      isStopped = true;
      unsubscribe?.();
      endPause?.();
      await following;
    },
  };
}

async function jobsByQueue(
  consumer: ChangeConsumer,
  changes: readonly Change[],
): Promise<ReadonlyMap<string, readonly JobToSend[]>> {
  const found = new Map<string, JobToSend[]>();
  for (const change of changes) {
    for (const [index, { queue, ...job }] of (await consumer.jobsOf(change)).entries()) {
      // The transaction, because ids of changes restart with a truncated table.
      const sent = { ...job, id: orderedId(change.id, `${consumer.name} ${index} ${change.transaction}`) };
      const jobs = found.get(queue);
      if (jobs === undefined) found.set(queue, [sent]);
      else jobs.push(sent);
    }
  }
  return found;
}

/** The maximum length of the data of jobs that one statement stores, in characters: longer data block the event loop. */
const maxLength = 1_000_000;

/** Jobs in parts that one statement stores. */
function* byLength(jobs: readonly JobToSend[]): Generator<readonly JobToSend[]> {
  let part: JobToSend[] = [];
  let total = 0;
  for (const job of jobs) {
    const length = lengthOf(job.data);
    if (part.length > 0 && total + length > maxLength) {
      yield part;
      [part, total] = [[], 0];
    }
    part.push(job);
    total += length;
  }
  if (part.length > 0) yield part;
}

/** The approximate length of data as JSON. */
const lengthOf = (data: object): number =>
  Object.values(data).reduce<number>(
    (sum, value) => sum + (typeof value === "string" ? value.length : (JSON.stringify(value)?.length ?? 0)),
    0,
  );
