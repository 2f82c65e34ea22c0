import type { Database, Model } from "@servicekit/prisma";
import { exactJsonText } from "@servicekit/prisma/internal";
import type { Change } from "./change.js";
import type { ChangeSignal } from "./change-signal.js";
import { type LogPosition, logStart, makeLogPositions, positionOf, type VisibleLog } from "./log-positions.js";
import type { ChangeReader } from "./read-changes.js";
import { type ChangedRows, makeChangeSummaries } from "./summarize-changes.js";

/** Consecutive changes of the log. */
export interface ChangeBatch {
  readonly changes: readonly Change[];
  /** The position after them; `undefined` if the next batch continues the same summary. */
  readonly last: LogPosition | undefined;
  /**
   * Whether each change summarizes all changes of its row since the position of the subscriber: its last one, with the state before the
   * first one. States between them are missing.
   */
  readonly isSummary: boolean;
  /** Whether changes before the position are missing: the log no longer contains them, or they are too many. */
  readonly isReset: boolean;
  /**
   * Whether changes that were committed before the first batch follow the position in the log, because an older transaction is open. They
   * are left out of later batches; another subscription cannot continue after the position.
   */
  readonly isBehind: boolean;
}

/** Whose changes are followed. */
export interface FollowOptions {
  /** Only summaries are limited to this model; other batches contain all changes. */
  readonly model: Model;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** Follows the log for one subscriber. */
export interface ChangeSubscription {
  /**
   * Waits for the changes after a position. The same batch object is returned to all subscribers at the same position.
   *
   * States that were overwritten before the subscriber could receive them are not returned: without a position it receives the changes that
   * are committed after the first batch, and with one the changes before the subscription are summarized, as are those that it
   * did not request within five seconds.
   *
   * @param after the last position that was returned, by this or another subscription; without it, the first batch is empty and its
   *   position is the current end
   * @returns `undefined` when the signal is aborted or the follower is closed
   */
  next(after?: LogPosition): Promise<ChangeBatch | undefined>;
}

/** Follows the change log for any number of subscribers of a process. */
export interface ChangeFollower {
  /** Begins to follow the log, until the signal is aborted. */
  follow(options: FollowOptions): ChangeSubscription;
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
  /** The database schema of models without one. @default "public" */
  readonly schema?: string | undefined;
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
/** How long a first batch waits for changes that were committed before it, in milliseconds. */
const catchUpMs = 1_000;
/** How long a change is returned with all of its states, in milliseconds after it was read. */
const freshMs = 5_000;
/** The maximum size of a change, in bytes of the JSON of its states: large values of larger ones are omitted. */
const maxChangeBytes = 4 * 1024 * 1024;

/** A batch that is cached for other subscribers. */
interface Cached extends ChangeBatch {
  /** The id of the position before it. */
  readonly after: bigint;
  readonly last: LogPosition;
  readonly characters: number;
  readonly readAt: number;
}

/**
 * Creates a follower: one loop reads each change once for all subscribers, and stops without them. The latest changes stay
 * in memory; a subscriber that is further behind receives a summary of its gap.
 */
export function makeChangeFollower(options: ChangeFollowerOptions): ChangeFollower {
  const { reader, signal: changeSignal, onError, buffer = {} } = options;
  const { changes: maxChanges = 1_000, characters: maxCharacters = 16 * 1024 * 1024 } = buffer;
  const positions = makeLogPositions(options);
  const summaries = makeChangeSummaries(options);
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
    const current: Loop = {
      ...{ position: undefined, restarts: 0, waiting: new Set(), done: Promise.resolve() },
      readNow: () => {
        isSignalled = true;
        wake();
      },
    };
    const stopSignal = changeSignal.onSignal(() => current.readNow());
    const moveTo = (position: LogPosition | undefined): void => {
      current.position = position;
      for (const resolve of [...current.waiting]) resolve();
    };
    const findEnd = async (): Promise<Outcome> => {
      const end = await reader.end();
      const position = end === undefined ? undefined : end === 0n ? logStart : await positions.find(end);
      if (position === undefined) return "pending";
      moveTo(position);
      return "more";
    };
    const read = async (): Promise<Outcome> => {
      const { position } = current;
      if (position === undefined) return findEnd();
      const changes = await reader.read(position.id, batchSize, { maxChangeBytes });
      // After the read, so that no change of another history of the log follows the position.
      if (position.id !== logStart.id && !(await positions.contains(position))) {
        reader.restart();
        cached = [];
        current.restarts++;
        moveTo(undefined);
        return "more";
      }
      const last = changes.at(-1);
      if (last === undefined) return reader.isWaiting() ? "pending" : "none";
      const characters = changes.reduce((sum, { before, after }) => sum + exactJsonText([before, after]).length, 0);
      const batch = { changes, last: positionOf(last), isSummary: false, isReset: false, isBehind: false };
      store({ ...batch, after: position.id, characters, readAt: performance.now() });
      moveTo(batch.last);
      return reader.hasMore() ? "more" : "some";
    };
    const run = async (): Promise<void> => {
      let idleSince: number | undefined;
      while (!closing.signal.aborted) {
        idleSince = subscribers > 0 ? undefined : (idleSince ?? performance.now());
        if (idleSince !== undefined && performance.now() - idleSince >= lingerMs) break;
        isSignalled = false;
        const outcome = await read().catch((error: unknown): Outcome => {
          if (!closing.signal.aborted) onError(error);
          return "error";
        });
        await pause(pauses[outcome], closing.signal);
        // Only a read that finds nothing has seen the changes of every signal before it.
        if (outcome === "none" && !isSignalled) await idle(lingerMs);
      }
      stopSignal();
      if (loop !== current) return;
      loop = undefined;
      cached = [];
    };
    current.done = run();
    return current;
  };

  /** The changes after a position, if they are in memory and were read just now. */
  const freshAfter = ({ id }: LogPosition): (ChangeBatch & { readonly last: LogPosition }) | undefined => {
    const batch = cached.findLast(({ after }) => after <= id);
    if (batch === undefined || batch.last.id <= id || performance.now() - batch.readAt > freshMs) return undefined;
    if (batch.after === id) return batch;
    const { last, isSummary, isReset, isBehind } = batch;
    return { changes: batch.changes.filter((change) => change.id > id), last, isSummary, isReset, isBehind };
  };

  return {
    follow({ model, signal }) {
      if (!signal.aborted && !closing.signal.aborted) {
        loop ??= begin();
        subscribers++;
        const leave = (): void => void subscribers--;
        signal.addEventListener("abort", leave, { once: true });
      }
      const current = loop;
      const isOver = (): boolean => signal.aborted || closing.signal.aborted;
      /** The number of restarts of the loop that the subscriber has noticed. */
      let restarts: number | undefined;
      /** With a position: the changes up to this id are summarized. */
      let summarizedUntil = 0n;
      /** Without a position: the changes that are left out. */
      let earlier: VisibleLog | undefined;
      let summary: Summary | undefined;

      const untilMoved = async (isReached: () => boolean, until: AbortSignal = signal): Promise<boolean> => {
        while (!isOver() && !until.aborted && !isReached()) await moved(current as Loop, until);
        return !isOver();
      };
      const restart = async (isReset: boolean): Promise<ChangeBatch | undefined> => {
        for (;;) {
          if (current === undefined || !(await untilMoved(() => current.position !== undefined))) return undefined;
          const now = await positions.now();
          const limit = AbortSignal.any([signal, AbortSignal.timeout(catchUpMs)]);
          await untilMoved(() => current.position === undefined || current.position.id >= now.newest, limit);
          const { position, restarts: seen } = current;
          if (isOver()) return undefined;
          if (position === undefined) continue;
          if (position.id !== logStart.id && !(await positions.contains(position))) {
            // The log has lost it, which the loop has not noticed yet.
            current.readNow();
            await untilMoved(() => current.restarts !== seen);
            continue;
          }
          restarts = seen;
          summary = undefined;
          summarizedUntil = 0n;
          earlier = position.id < now.newest ? now : undefined;
          return { changes: [], last: position, isSummary: false, isReset, isBehind: earlier !== undefined };
        }
      };
      /** Leaves out the changes that were committed before the first batch. */
      const withoutEarlier = (batch: ChangeBatch & { readonly last: LogPosition }): ChangeBatch => {
        if (earlier === undefined) return batch;
        const { newest, contains } = earlier;
        const changes = batch.changes.filter(({ id, transaction }) => id > newest || !contains(transaction));
        if (batch.last.id >= newest) earlier = undefined;
        return { ...batch, changes, isBehind: earlier !== undefined };
      };
      const readSummary = async (part: Summary): Promise<ChangeBatch | undefined> => {
        const rows = part.rows.slice(part.next);
        const changes = rows.length === 0 ? [] : await summaries.read(rows, maxChangeBytes);
        if (changes === undefined) return undefined;
        part.next += changes.length;
        const isLast = part.next >= part.rows.length;
        return { changes, last: isLast ? part.until : undefined, isSummary: true, isReset: false, isBehind: false };
      };

      return {
        async next(after) {
          if (current === undefined || isOver()) return undefined;
          if (after === undefined) return restart(false);
          if (restarts === undefined) {
            summarizedUntil = (await positions.now()).newest;
            if (!(await untilMoved(() => current.position !== undefined))) return undefined;
            const seen = current.restarts;
            if (!(await positions.contains(after))) return restart(true);
            restarts = seen;
          }
          for (;;) {
            const { position } = current;
            if (current.restarts !== restarts || position === undefined) return isOver() ? undefined : restart(true);
            if (summary?.after !== after) {
              const target = summarizedUntil > after.id ? summarizedUntil : after.id + 1n;
              if (position.id < target) {
                await moved(current, signal);
                if (isOver()) return undefined;
                continue;
              }
              const batch = after.id < summarizedUntil ? undefined : freshAfter(after);
              if (batch !== undefined) return withoutEarlier(batch);
              const rows = earlier === undefined ? await summaries.find(model, after.id, position.id) : undefined;
              if (rows === undefined) return restart(true);
              summary = { after, until: position, rows, next: 0 };
            }
            return (await readSummary(summary)) ?? restart(true);
          }
        },
      };
    },
    subscribers: () => subscribers,
    close: async () => {
      closing.abort();
      for (const resolve of [...(loop?.waiting ?? [])]) resolve();
      await loop?.done;
    },
  };
}

/** A summary that a subscriber receives in batches. */
interface Summary {
  readonly after: LogPosition;
  readonly until: LogPosition;
  readonly rows: ChangedRows;
  next: number;
}

/**
 * The result of a read: as many changes as one read returns, or a new position; some changes; changes that older transactions
 * delay; none.
 */
type Outcome = "more" | "some" | "pending" | "none" | "error";

/**
 * The pauses of a loop after a read, in milliseconds: until older transactions may have ended, so that the changes of many
 * commits are read together, and after an error.
 */
const pauses: Readonly<Record<Outcome, number>> = { more: 0, some: 50, pending: 100, none: 50, error: 1_000 };

/** A loop that reads the log. */
interface Loop {
  /** Everything up to it was read; `undefined` until the end of the log is known. */
  position: LogPosition | undefined;
  /** How often the log was found not to contain the position. */
  restarts: number;
  /** Reads without a pause for changes. */
  readonly readNow: () => void;
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
  if (ms === 0) return Promise.resolve();
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
