import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";

/** The options of {@link keepListening}. */
export interface ListeningOptions {
  /**
   * Opens a connection that receives notifications.
   *
   * @param onEnd called once when the connection is lost
   * @returns closes it
   */
  readonly listen: (receive: (payload: string) => void, onEnd: () => void) => Promise<() => Promise<void>>;
  /** Sends a notification through another connection. */
  readonly notify: (payload: string) => Promise<void>;
  /** Called with each notification, except those of tests. */
  readonly receive: (payload: string) => void;
  /** Called with whether notifications arrive. */
  readonly onState: (isListening: boolean) => void;
  readonly warn: (message: string) => void;
  /** How long the notification of the test may take, in milliseconds. */
  readonly testMs: number;
  /** The pause before the first attempt to reconnect, in milliseconds; it doubles with each failure. */
  readonly pauseMs: number;
}

const maxPauseMs = 30_000;

const unavailable =
  "Notifications of PostgreSQL do not arrive, as behind PgBouncer with pool_mode = transaction. Changes of other processes are noticed by polling every second.";

/**
 * Listens until it is stopped, again after a lost connection. Each connection is tested with a notification; if that
 * does not arrive, a warning is reported once, and there are no further attempts.
 */
export function keepListening(options: ListeningOptions): { stop(): Promise<void> } {
  const { listen, notify, receive, onState, warn, testMs, pauseMs } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  let close: () => Promise<void> = async () => undefined;
  let timer: NodeJS.Timeout | undefined;
  let failures = 0;

  const again = (): void => {
    if (signal.aborted) return;
    onState(false);
    timer = setTimeout(start, Math.min(pauseMs * 2 ** failures++, maxPauseMs)).unref();
  };
  const open = async (): Promise<void> => {
    const test = `${testPrefix}${randomUUID()}`;
    const arrival = deferred<true>();
    const end = deferred<"ended">();
    try {
      close = await listen(
        (payload) => {
          if (payload === test) arrival.resolve(true);
          else if (!payload.startsWith(testPrefix)) receive(payload);
        },
        () => end.resolve("ended"),
      );
      // Through another connection: a pooler passes on what arrives during a statement, and drops the rest.
      await notify(test);
    } catch {
      await close().catch(() => undefined);
      return again();
    }
    const hasArrived = await Promise.race([arrival.promise, end.promise, timeout(testMs, signal)]);
    if (hasArrived === true) {
      failures = 0;
      onState(true);
      await Promise.race([end.promise, aborted(signal)]);
    }
    await close().catch(() => undefined);
    if (hasArrived === false && !signal.aborted) warn(unavailable);
    else again();
  };
  let opening: Promise<void>;
  const start = (): void => {
    opening = open();
  };
  start();
  return {
    stop: async () => {
      stopping.abort();
      clearTimeout(timer);
      await opening;
    },
  };
}

const testPrefix = "test:";

function deferred<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let settle = (_: T): void => undefined;
  const promise = new Promise<T>((resolve) => {
    settle = resolve;
  });
  return { promise, resolve: (value) => settle(value) };
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });

/** @returns `false` after a time, or when the signal is aborted */
const timeout = (ms: number, signal: AbortSignal): Promise<false> =>
  wait<false>(ms, false, { signal, ref: false }).catch(() => false);
