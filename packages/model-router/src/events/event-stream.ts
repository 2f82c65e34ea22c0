import type { Request, Response } from "express";

/** How long a client may leave data unread, in milliseconds. */
const maxUnreadMs = 30_000;

/** A response with server-sent events. */
export interface EventStream {
  /** Aborted when the client has disconnected, does not read, or the stream was ended. */
  readonly signal: AbortSignal;
  /** Sends a text, and waits until the client has read enough of what was sent. */
  send(text: string): Promise<void>;
  /** Sends a text, unless the client is still reading. */
  sendIfIdle(text: string): void;
  end(): void;
}

/**
 * Starts a response with server-sent events. Its memory is limited: nothing is sent while the client does not read, and a client that
 * does not read for 30 seconds is disconnected.
 *
 * @param closing ends the stream
 */
export function openEventStream(request: Request, response: Response, closing: AbortSignal): EventStream {
  const ending = new AbortController();
  const abort = (): void => ending.abort();
  response.on("close", () => {
    closing.removeEventListener("abort", abort);
    abort();
  });
  // A client that disconnects is not an error.
  response.on("error", abort);
  closing.addEventListener("abort", abort);
  if (closing.aborted || response.destroyed) abort();
  response.status(200);
  response.setHeader("Content-Type", "text/event-stream; charset=utf-8");
  response.setHeader("Cache-Control", "private, no-cache, no-transform");
  // Nginx would collect the events before it sends them.
  response.setHeader("X-Accel-Buffering", "no");
  response.flushHeaders();
  request.socket.setNoDelay(true);
  const drained = (): Promise<void> =>
    new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        response.off("drain", end);
        ending.signal.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimeout(() => {
        response.destroy();
        end();
      }, maxUnreadMs).unref();
      response.on("drain", end);
      ending.signal.addEventListener("abort", end);
      if (ending.signal.aborted) end();
    });
  return {
    signal: ending.signal,
    async send(text) {
      if (ending.signal.aborted || text === "") return;
      if (!response.write(text)) await drained();
    },
    sendIfIdle(text) {
      if (!ending.signal.aborted && !response.writableNeedDrain) response.write(text);
    },
    end() {
      abort();
      if (!response.writableEnded && !response.destroyed) response.end();
    },
  };
}
