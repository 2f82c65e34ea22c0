import type { Database, Model } from "@servicekit/prisma";
import { exactJsonText } from "@servicekit/prisma/internal";
import { type Change, changeColumns } from "./change.js";
import type { ChangeSignal } from "./change-signal.js";
import type { ChangeReader } from "./read-changes.js";
import { toChanges } from "./response-state.js";

/** Consecutive changes of the log. */
export interface ChangeBatch {
  readonly changes: readonly Change[];
  /** The position after them: the id of the last change up to which all changes are known. */
  readonly last: bigint;
}

/** Whose changes are followed, and from where. */
export interface FollowOptions {
  /** Only batches that were read from the database again are limited to this model; shared ones contain all changes. */
  readonly model: Model;
  /** The position after which it starts, as {@link ChangeFollower.contains} accepts it. @default the current end of the log */
  readonly after?: bigint | undefined;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** Follows the change log for any number of subscribers of a process. */
export interface ChangeFollower {
  /**
   * Returns batches of changes in their order, without gaps, until the signal is aborted. The first batch is empty: its
   * position is the start. The same batch object is returned to all subscribers that are at the same position.
   */
  follow(options: FollowOptions): AsyncGenerator<ChangeBatch, void, undefined>;
  /**
   * Whether the log still contains a position: then following it misses no change.
   *
   * @param notBefore the earliest time of its change, if older changes of other models may be missing
   */
  contains(position: bigint, notBefore?: Date): Promise<boolean>;
  /** The number of subscribers. */
  subscribers(): number;
  /** Ends the reading of the log; its subscribers receive nothing more. */
  close(): Promise<void>;
}

/** The options of {@link makeChangeFollower}. */
export interface ChangeFollowerOptions {
  readonly database: Database;
  /** The model that stores changes, as {@link readChangeModel} returns it. */
  readonly model: Model;
  readonly reader: ChangeReader;
  readonly signal: Pick<ChangeSignal, "onSignal">;
  /** Receives errors of reads, which are repeated. */
  readonly onError: (error: unknown) => void;
  /** The maximum size of the changes in memory. */
  readonly buffer?: {
    /** @default 1000 */
    readonly changes?: number;
    /** In characters of their JSON. @default 16777216 */
    readonly characters?: number;
  };
}

/** The maximum number of changes of a batch. */
const batchSize = 100;
/** How long it continues without subscribers, in milliseconds: they may come back. */
const lingerMs = 10_000;

/** A batch that is cached for other subscribers. */
interface Cached extends ChangeBatch {
  /** The position before it. */
  readonly after: bigint;
  readonly characters: number;
}

/**
 * Creates a follower: one loop reads each change once for all subscribers, and stops without them. The latest changes stay
 * in memory; a subscriber that needs earlier ones reads them from the database.
 */
export function makeChangeFollower(options: ChangeFollowerOptions): ChangeFollower {
  const { database, model: changes, reader, signal: changeSignal, onError, buffer = {} } = options;
  const { changes: maxChanges = 1_000, characters: maxCharacters = 16 * 1024 * 1024 } = buffer;
  const closing = new AbortController();
  let cached: Cached[] = [];
  let subscribers = 0;
  let loop: Loop | undefined;

  const store = (batch: Cached): void => {
    cached.push(batch);
    let count = 0;
    let characters = 0;
    const start = cached.findLastIndex((one) => {
      count += one.changes.length;
      characters += one.characters;
      return count > maxChanges || characters > maxCharacters;
    });
    // The latest batch is always there, for the subscribers that wait for it.
    cached = cached.slice(Math.min(start + 1, cached.length - 1));
  };

  const begin = (): Loop => {
    let isSignalled = true;
    let wake = (): void => undefined;
    const idle = (ms: number): Promise<void> =>
      pause(ms, closing.signal, (end) => {
        wake = end;
      });
    const stopSignal = changeSignal.onSignal(() => {
      isSignalled = true;
      wake();
    });
    const own: Loop = { position: undefined, waiting: new Set(), done: Promise.resolve() };
    const moveTo = (position: bigint): void => {
      own.position = position;
      for (const resolve of [...own.waiting]) resolve();
    };
    const read = async (): Promise<"more" | "pending" | "none"> => {
      if (own.position === undefined) {
        const end = await reader.end();
        if (end === undefined) return "pending";
        moveTo(end);
        return "more";
      }
      const found = await reader.read(own.position, batchSize);
      const last = found.at(-1)?.id;
      if (last === undefined) return reader.isWaiting() ? "pending" : "none";
      const characters = found.reduce((sum, { before, after }) => sum + exactJsonText([before, after]).length, 0);
      store({ changes: found, after: own.position, last, characters });
      moveTo(last);
      return found.length < batchSize ? "none" : "more";
    };
    const run = async (): Promise<void> => {
      let idleSince: number | undefined;
      while (!closing.signal.aborted) {
        idleSince = subscribers > 0 ? undefined : (idleSince ?? performance.now());
        if (idleSince !== undefined && performance.now() - idleSince >= lingerMs) break;
        isSignalled = false;
        const outcome = await read().catch((error: unknown) => {
          if (!closing.signal.aborted) onError(error);
          return "error" as const;
        });
        if (outcome === "more") continue;
        await pause(pauses[outcome], closing.signal);
        if (outcome === "none" && !isSignalled) await idle(lingerMs);
      }
      stopSignal();
      if (loop !== own) return;
      loop = undefined;
      cached = [];
    };
    own.done = run();
    return own;
  };

  /** The changes of one model after a position, which was read before. */
  const readAgain = async (model: Model, after: bigint, until: bigint): Promise<ChangeBatch> => {
    const rows = await database.of(changes).findMany({
      where: { model: model.name, id: { gt: after, lte: until } },
      orderBy: [{ id: "asc" }],
      take: batchSize,
      select: changeColumns,
    });
    const found = toChanges(rows, database.models);
    return { changes: found, last: found.length < batchSize ? until : (found.at(-1)?.id ?? until) };
  };

  /** The batch that contains the change after a position, if it is in memory. */
  const cachedAfter = (position: bigint): Cached | undefined => {
    const batch = cached.findLast(({ after }) => after <= position);
    return batch !== undefined && batch.last > position ? batch : undefined;
  };

  return {
    async *follow({ model, after, signal }) {
      if (signal.aborted || closing.signal.aborted) return;
      loop ??= begin();
      const own = loop;
      subscribers++;
      const isOver = (): boolean => signal.aborted || closing.signal.aborted;
      try {
        while (own.position === undefined && !isOver()) await moved(own, signal);
        if (own.position === undefined) return;
        let position = after ?? own.position;
        yield { changes: [], last: position };
        while (!isOver()) {
          const batch = cachedAfter(position);
          if (batch !== undefined) {
            // A position inside a batch follows only a batch that was read again.
            const changes = batch.changes.filter(({ id }) => id > position);
            position = batch.last;
            yield changes.length === batch.changes.length ? batch : { changes, last: batch.last };
          } else if (position < own.position) {
            const read = await readAgain(model, position, cached[0]?.after ?? own.position);
            position = read.last;
            yield read;
          } else await moved(own, signal);
        }
      } finally {
        subscribers--;
      }
    },
    contains: async (id, notBefore) => {
      const where = notBefore === undefined ? { id } : { id, time: { gte: notBefore } };
      return (await database.of(changes).findMany({ where, select: { id: true }, take: 1 })).length > 0;
    },
    subscribers: () => subscribers,
    close: async () => {
      closing.abort();
      for (const resolve of [...(loop?.waiting ?? [])]) resolve();
      await loop?.done;
    },
  };
}

/**
 * The pauses of a loop after a read, in milliseconds: until older transactions may have ended, so that the changes of many
 * commits are read together, and after an error.
 */
const pauses = { pending: 100, none: 50, error: 1_000 };

/** A loop that reads the log. */
interface Loop {
  /** Everything up to it was read; `undefined` until the end of the log is known. */
  position: bigint | undefined;
  /** Called when {@link position} has changed, or at the end. */
  readonly waiting: Set<() => void>;
  done: Promise<void>;
}

/** Waits until the position of a loop changes, the follower is closed, or the signal is aborted. */
function moved({ waiting }: Loop, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      waiting.delete(end);
      signal.removeEventListener("abort", end);
      resolve();
    };
    waiting.add(end);
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
  });
}

/** Waits for some time, at most until the signal is aborted or the function that `receive` gets is called. */
function pause(ms: number, signal: AbortSignal, receive: (end: () => void) => void = () => undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms).unref();
    signal.addEventListener("abort", end);
    receive(end);
    if (signal.aborted) end();
  });
}
