import { isHttpError } from "@servicekit/core";
import type { Resource } from "../resource/resource.js";
import { type CallersView, eventText, type WriteEvents } from "./callers-events.js";
import type { FeedBatch, FeedPosition, FeedSubscription } from "./change-feed.js";
import type { EventIds, IssuedPosition } from "./event-ids.js";
import type { EventStream } from "./event-stream.js";
import { isTimeout } from "./match-together.js";
import { makeStreamDigests, readsOnlyRow, rightsKey } from "./stream-rights.js";

/** The interval in which an idle stream sends a comment and checks the access of its caller, in milliseconds. */
const heartbeatMs = 15_000;
/** The maximum duration of a stream, in milliseconds: then the client connects again, with all checks of a request. */
const maxDurationMs = 3_600_000;
/** How long clients wait before they connect again, in milliseconds; random, so that not all come at the same time. */
const retryMs = { min: 1_000, random: 2_000 };
/** How long the database may be unavailable before a stream ends, in milliseconds, and the pauses between two attempts. */
const failing = { maxMs: 120_000, pauseMs: 250, maxPauseMs: 5_000 };
/** The time in which a client has to read, in milliseconds; otherwise its stream does not retain the changes that follow. */
const promptMs = 1_000;

/** What a stream is sent with. */
export interface Sending {
  readonly resource: Resource;
  readonly subscription: FeedSubscription;
  readonly ids: EventIds;
  /** The position after which the client continues; `undefined` for the current end. */
  readonly after: IssuedPosition | undefined;
  /** Whether the client may have missed changes. */
  readonly isReset: boolean;
  /**
   * Returns the view of the caller as it is now.
   *
   * @throws {HttpError} 4xx if the caller may not receive events any more
   */
  readonly check: () => Promise<CallersView>;
  readonly write: WriteEvents;
  /** Receives the first of consecutive errors that are no end of the access. */
  readonly log: (error: unknown) => void;
}

/** Returns how long clients should wait before they connect again, as a field of server-sent events. */
export const retryText = (ms = retryMs.min + Math.floor(Math.random() * retryMs.random)): string => `retry: ${ms}\n\n`;

/**
 * Sends the events of a stream until it ends. While the database is unavailable, nothing is sent but comments.
 *
 * @throws the error that ends the stream
 */
export async function sendEvents(stream: EventStream, first: CallersView, sending: Sending): Promise<void> {
  const { resource, subscription, ids, check, write, log } = sending;
  const { model } = resource;
  const { signal } = stream;
  const digestsOf = makeStreamDigests();
  let view = first;
  /** The number of changes of the rights. */
  let rights = 0;
  let position = sending.after?.position;
  /** The rules with which the position was reached. */
  let rules = sending.after?.rules;
  let isWaiting = false;

  /** Whether the position identifies what the client has. */
  let isExact = position !== undefined;
  const moveTo = (at: FeedPosition, isBehind: boolean): void => {
    position = at;
    isExact = !isBehind;
    ({ rules } = digestsOf(view));
  };
  const currentId = (): string | undefined =>
    position === undefined || !isExact ? undefined : ids.issue({ position, ...digestsOf(view) });
  /** A block that moves the position of the client, and dispatches nothing. */
  const idBlock = (): string => {
    const id = currentId();
    return id === undefined ? ":\n\n" : `id: ${id}\n\n`;
  };
  const sendState = (name: "ready" | "reset"): void => stream.write(eventText(name, {}, currentId()));
  /** Checks the access again. @returns whether the rows that the client has are those of the same rights */
  const renew = async (): Promise<boolean> => {
    const now = await check();
    const isSame = now.own === view.own && rightsKey(now) === rightsKey(view);
    view = now;
    if (!isSame) rights++;
    return isSame;
  };
  const failures = countFailures(log);
  /** Repeats work while the database is unavailable. @param isFinal whether an error is not temporary */
  const repeat = async <Result>(
    work: () => Promise<Result>,
    isFinal: (error: unknown) => boolean = isRejection,
  ): Promise<Result> => {
    for (let ms = failing.pauseMs; ; ms = Math.min(ms * 2, failing.maxPauseMs)) {
      try {
        const result = await work();
        failures.end();
        return result;
      } catch (error) {
        if (signal.aborted || isFinal(error) || failures.isTooLong(error)) throw error;
        await pause(ms, signal);
        if (signal.aborted) throw error;
      }
    }
  };

  const beat = async (): Promise<void> => {
    if (!isWaiting) return stream.writeIfIdle(":\n\n");
    try {
      const isSame = await renew();
      failures.end();
      if (!isSame) return sendState("reset");
      if (position !== undefined) moveTo(position, !isExact);
      stream.writeIfIdle(idBlock());
    } catch (error) {
      if (isRejection(error) || failures.isTooLong(error)) stream.end();
      else stream.writeIfIdle(":\n\n");
    }
  };

  /** Whether the changes up to the next position are replaced by a reset. */
  let isSkipping = false;
  /** Whether events were sent after the last id. */
  let hasSent = false;
  /** Sends what follows the position. @returns whether the stream continues */
  const step = async (): Promise<boolean> => {
    isWaiting = true;
    const batch = await repeat(() => subscription.next(position));
    isWaiting = false;
    if (batch === undefined || signal.aborted) return false;
    if (position === undefined || batch.isReset) {
      const name = batch.isReset || sending.isReset ? "reset" : "ready";
      if (batch.last !== undefined) moveTo(batch.last, batch.isBehind);
      sendState(name);
      isSkipping = false;
      return true;
    }
    if (batch.changes.some((change) => change.model === model.name)) {
      if (!(await repeat(renew))) isSkipping = true;
      else if (!isSkipping && !(await sendChanges(batch))) return true;
    }
    if (batch.last === undefined) return true;
    const wasExact = isExact;
    moveTo(batch.last, batch.isBehind);
    if (isSkipping) sendState("reset");
    else if (hasSent || isExact !== wasExact) stream.write(idBlock());
    isSkipping = false;
    hasSent = false;
    return true;
  };
  /** @returns whether all changes of the batch were sent */
  const sendChanges = async (batch: FeedBatch): Promise<boolean> => {
    const before = rights;
    const events = await repeat(
      () => write(batch, view),
      (error) => isRejection(error) || isTimeout(error),
    );
    // The client has received a reset, after which it needs the changes in its new view.
    if (before !== rights) return false;
    // What a summary reports as removed was in the list, if the rules decide about the earlier state as they did then.
    if (batch.isSummary && events.some(({ isRemoval }) => isRemoval)) {
      const isSame = rules?.equals(digestsOf(view).rules) === true && readsOnlyRow(view.filter);
      if (!isSame) {
        isSkipping = true;
        return true;
      }
    }
    for (const { change, text, isTooLarge } of events) {
      if (isTooLarge) {
        isSkipping = true;
        return true;
      }
      stream.write(text());
      hasSent = true;
      if (!stream.isFull() || (await stream.drained(promptMs))) continue;
      if (signal.aborted) return false;
      if (batch.isSummary) await stream.drained();
      else {
        const { id, transaction, time } = change;
        moveTo({ id, transaction, time: new Date(time) }, batch.isBehind);
        stream.write(idBlock());
        hasSent = false;
        return false;
      }
    }
    return true;
  };

  const heartbeat = setInterval(() => void beat(), heartbeatMs).unref();
  const end = setTimeout(() => stream.end(), maxDurationMs).unref();
  try {
    stream.write(retryText());
    // Without a reference to the changes while the client does not read.
    while (await step()) if (stream.isFull()) await stream.drained();
  } finally {
    clearInterval(heartbeat);
    clearTimeout(end);
  }
}

/** Counts how long errors follow one another. */
function countFailures(log: (error: unknown) => void) {
  let since: number | undefined;
  return {
    end: (): void => {
      since = undefined;
    },
    /** Whether errors have followed one another for too long. */
    isTooLong: (error: unknown): boolean => {
      if (since === undefined) log(error);
      since ??= performance.now();
      return performance.now() - since > failing.maxMs;
    },
  };
}

/** Whether the caller may not receive events any more. */
const isRejection = (error: unknown): boolean => isHttpError(error) && error.status < 500;

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms).unref();
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
  });
