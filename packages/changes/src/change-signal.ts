import { randomUUID } from "node:crypto";
import type { Connections, PrismaClientLike } from "@servicekit/prisma";
import { keepListening } from "./keep-listening.js";

/** Reports that changes may have been committed, by this process or another one. */
export interface ChangeSignal {
  /**
   * Calls a listener whenever changes may have been committed: after commits of this process in the same tick, after
   * those of other processes when their notification arrives, and at intervals in case a notification is lost. The first
   * listener opens the connection for notifications, and the last one closes it.
   *
   * @returns removes the listener
   */
  onSignal(listener: () => void): () => void;
  /** Reports a commit of this process to its listeners and, within 50 ms, to other processes. */
  readonly committed: () => void;
  /** How commits of other processes are noticed now; `off` without a listener. */
  state(): "listening" | "polling" | "off";
  /** Sends a pending notification, and closes the connection. Later commits are not reported. */
  close(): Promise<void>;
}

/** The options of {@link makeChangeSignal}. */
export interface ChangeSignalOptions {
  /** The Prisma client of the database. */
  readonly client: PrismaClientLike;
  /** The connections of its adapter. Without them commits of other processes are noticed by polling. */
  readonly connections?: Connections | undefined;
  /** Receives a warning when notifications do not arrive. */
  readonly warn: (message: string) => void;
  /** Other intervals, in milliseconds. */
  readonly times?: Partial<ChangeSignalTimes>;
}

/** The intervals of a signal, in milliseconds. */
export interface ChangeSignalTimes {
  /** The minimum interval between two notifications of this process. @default 50 */
  readonly notify: number;
  /** The interval of signals while notifications do not arrive. @default 1000 */
  readonly poll: number;
  /** The interval of signals while notifications arrive. @default 10000 */
  readonly idlePoll: number;
  /** How long a notification of the start may take to arrive. @default 10000 */
  readonly test: number;
}

const defaultTimes: ChangeSignalTimes = { notify: 50, poll: 1_000, idlePoll: 10_000, test: 10_000 };

const channel = "servicekit_changes";

/** Creates a signal. It does nothing before the first commit or listener. */
export function makeChangeSignal({ client, connections, warn, times }: ChangeSignalOptions): ChangeSignal {
  const intervals = { ...defaultTimes, ...times };
  const id = randomUUID();
  const listeners = new Set<() => void>();
  let isClosed = false;
  let following: Following | undefined;

  const wake = (): void => {
    for (const listener of [...listeners]) listener();
  };
  /** Its own statement: in the transaction of a write, `NOTIFY` would serialize all commits of the database. */
  const notify = async (payload: string): Promise<void> => {
    const sql = `SELECT pg_notify('${channel}', '${payload}')::text`;
    await (connections === undefined ? client.$queryRawUnsafe(sql) : connections.query(sql));
  };
  const sender = makeSender(() => notify(id), intervals.notify);

  const follow = (): Following => {
    let isPolling = true;
    let timer = setTimeout(poll, intervals.poll).unref();
    function poll(): void {
      wake();
      restart();
    }
    const restart = (): void => {
      clearTimeout(timer);
      if (!isStopped) timer = setTimeout(poll, isPolling ? intervals.poll : intervals.idlePoll).unref();
    };
    let isStopped = false;
    const open = connections?.listen;
    const listening =
      open === undefined
        ? undefined
        : keepListening({
            ...{ notify, warn, testMs: intervals.test, pauseMs: intervals.poll },
            listen: (receive, onEnd) => open(channel, receive, onEnd),
            receive: (payload) => {
              if (payload !== id) wake();
            },
            onState: (isListening) => {
              isPolling = !isListening;
              restart();
              // Earlier notifications may have been lost.
              if (isListening) wake();
            },
          });
    return {
      isPolling: () => isPolling,
      stop: async () => {
        isStopped = true;
        clearTimeout(timer);
        await listening?.stop();
      },
    };
  };

  let stopping = Promise.resolve();
  return {
    onSignal(listener) {
      const own = () => listener();
      listeners.add(own);
      if (!isClosed) following ??= follow();
      return () => {
        if (!listeners.delete(own) || listeners.size > 0) return;
        const last = following;
        following = undefined;
        stopping = stopping.then(() => last?.stop());
      };
    },
    committed: () => {
      if (isClosed) return;
      wake();
      sender.request();
    },
    state: () => (following === undefined ? "off" : following.isPolling() ? "polling" : "listening"),
    async close() {
      isClosed = true;
      listeners.clear();
      await Promise.all([sender.close(), following?.stop(), stopping]);
    },
  };
}

/** Notices the commits of other processes. */
interface Following {
  isPolling(): boolean;
  stop(): Promise<void>;
}

/** Sends at most once per interval; the last request is never lost. */
function makeSender(
  send: () => Promise<void>,
  intervalMs: number,
): { readonly request: () => void; close(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined;
  let isRequested = false;
  let sending: Promise<void> = Promise.resolve();
  const start = (): void => {
    isRequested = false;
    // Without a database there is nothing to report, and other processes poll.
    const sent = send().catch(() => undefined);
    sending = sent;
    timer = setTimeout(() => {
      void sent.then(() => {
        timer = undefined;
        if (isRequested) start();
      });
    }, intervalMs).unref();
  };
  return {
    request: () => {
      if (timer === undefined) start();
      else isRequested = true;
    },
    close: async () => {
      clearTimeout(timer);
      await sending;
      if (isRequested) start();
      clearTimeout(timer);
      isRequested = false;
      await sending;
    },
  };
}
