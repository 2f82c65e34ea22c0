import type { Request, Response } from "express";
import type { UnreadLimit } from "./unread-limit.js";

/** How long a client may leave data unread, in milliseconds. */
const maxUnreadMs = 30_000;

/** A response with server-sent events. */
export interface EventStream {
  /** Aborted when the client has disconnected, does not read, or the stream was ended. */
  readonly signal: AbortSignal;
  /** Sends a text. */
  write(text: string): void;
  /** Whether the client has to read before more is sent. */
  isFull(): boolean;
  /**
   * Waits until the client has read enough of what was sent, or the stream has ended.
   *
   * @param ms the maximum time
   * @returns whether more can be sent
   */
  drained(ms?: number): Promise<boolean>;
  /** Sends a text, unless the client is still reading. */
  writeIfIdle(text: string): void;
  end(): void;
}

/** Sets the headers of a response with server-sent events. */
export function setStreamHeaders(response: Response): void {
  response.status(200);
  response.setHeader("Content-Type", "text/event-stream; charset=utf-8");
  response.setHeader("Cache-Control", "private, no-cache, no-transform");
  // Nginx would collect the events before it sends them.
  response.setHeader("X-Accel-Buffering", "no");
}

/**
 * Starts a response with server-sent events. Its memory is limited: nothing should be sent while it is full, and a client that
 * does not read for 30 seconds is disconnected.
 *
 * @param closing ends the stream
 * @param limit limits the unread bytes of all streams
 */
export function openEventStream(
  request: Request,
  response: Response,
  closing: AbortSignal,
  limit: UnreadLimit,
): EventStream {
  const ending = new AbortController();
  const { signal } = ending;
  let timer: NodeJS.Timeout | undefined;
  const unread = { bytes: () => response.writableLength, disconnect: () => void response.destroy() };
  const drain = (): void => {
    clearTimeout(timer);
    timer = undefined;
    limit.remove(unread);
  };
  const abort = (): void => ending.abort();
  response.on("drain", drain);
  response.on("close", () => {
    closing.removeEventListener("abort", abort);
    drain();
    abort();
  });
  // A client that disconnects is not an error.
  response.on("error", abort);
  closing.addEventListener("abort", abort);
  if (closing.aborted || response.destroyed) abort();
  setStreamHeaders(response);
  response.flushHeaders();
  request.socket.setNoDelay(true);
  const write = (text: string): void => {
    if (signal.aborted || response.write(text) || response.destroyed) return;
    timer ??= setTimeout(() => void response.destroy(), maxUnreadMs).unref();
    limit.add(unread);
  };
  return {
    signal,
    write,
    isFull: () => timer !== undefined && !signal.aborted,
    drained: (ms) =>
      new Promise((resolve) => {
        if (timer === undefined || signal.aborted) return resolve(!signal.aborted);
        const end = (): void => {
          clearTimeout(limited);
          response.off("drain", end);
          signal.removeEventListener("abort", end);
          resolve(timer === undefined && !signal.aborted);
        };
        const limited = ms === undefined ? undefined : setTimeout(end, ms).unref();
        response.on("drain", end);
        signal.addEventListener("abort", end);
      }),
    writeIfIdle(text) {
      if (!response.writableNeedDrain) write(text);
    },
    end() {
      abort();
      if (!response.writableEnded && !response.destroyed) response.end();
    },
  };
}
