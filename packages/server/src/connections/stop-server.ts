import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { longestTimer } from "@servicekit/core/internal";

/** The requests of each open connection whose responses are incomplete, in order. */
export type RunningRequests = ReadonlyMap<Socket, readonly ServerResponse[]>;

/** Stops a server without losing a response. */
export interface ServerStop {
  readonly running: RunningRequests;
  /**
   * Continues to accept requests, but from now on each response has `Connection: close` and is the last on its
   * connection.
   */
  endConnections(): void;
  /**
   * Stops accepting (a server that never listened has the connections that it was given), closes idle connections, and
   * every other one after its last response. Requests that still run after the drain time are aborted.
   *
   * @param drain milliseconds
   * @param onCut called for each aborted request
   */
  stop(drain: number, onCut: (request: IncomingMessage) => void): Promise<void>;
  /** The number of incomplete responses. */
  count(): number;
}

/**
 * Tracks the connections of a server, so that it can be stopped. Node's own `close` destroys idle connections, and
 * treats a connection as idle while the end of a large response is still queued: it is called when there is none.
 */
export function watchConnections(server: Server): ServerStop {
  const running = new Map<Socket, ServerResponse[]>();
  let isEnding = false;
  let isStopping = false;
  let onGone = (): void => undefined;
  let onResponse = (): void => undefined;
  const endConnections = (): void => {
    isEnding = true;
    for (const responses of running.values()) setConnectionClose(responses);
  };
  server.on("connection", (socket: Socket) => {
    running.set(socket, []);
    socket.once("close", () => {
      running.delete(socket);
      onGone();
    });
  });
  // Before the application, which may respond in the same tick.
  server.prependListener("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    const responses = running.get(socket);
    if (responses === undefined) return;
    responses.push(response);
    if (isEnding) setConnectionClose(responses);
    response.on("close", () => {
      if (responses.at(-1) === response) responses.pop();
      else responses.splice(responses.indexOf(response), 1);
      if (isStopping && responses.length === 0) socket.destroySoon();
      onResponse();
    });
  });
  return {
    running,
    endConnections,
    count: () => [...running.values()].reduce((sum, { length }) => sum + length, 0),
    stop: (drain, onCut) => {
      endConnections();
      isStopping = true;
      return new Promise((resolve) => {
        const cutAll = (): void => {
          for (const responses of running.values()) for (const { req } of responses) onCut(req);
          for (const socket of running.keys()) socket.destroy();
        };
        const cut = setTimeout(cutAll, Math.min(drain, longestTimer));
        let isOpen = server.listening;
        const settle = (): void => {
          if (isOpen || running.size > 0) return;
          clearTimeout(cut);
          resolve();
        };
        onGone = settle;
        const closeServer = (): void => {
          if ([...running.values()].some(hasQueuedEnd)) {
            // The connection that is waited for is the only one from now on: others are rejected.
            server.maxConnections = 1;
            return;
          }
          onResponse = () => undefined;
          server.close(() => {
            isOpen = false;
            settle();
          });
        };
        if (isOpen) {
          onResponse = closeServer;
          closeServer();
        }
        for (const [socket, responses] of running) if (responses.length === 0) socket.destroySoon();
        settle();
      });
    },
  };
}

/** Whether a response on a connection has ended, but is not sent yet. */
const hasQueuedEnd = (responses: readonly ServerResponse[]): boolean =>
  responses.some(({ writableEnded }) => writableEnded);

/** Only the last response: pipelined requests get their responses too (RFC 9112, section 9.6). */
function setConnectionClose(responses: readonly ServerResponse[]): void {
  const last = responses.at(-1);
  for (const response of responses) if (!response.headersSent) response.shouldKeepAlive = response !== last;
}
