import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import { longestTimer } from "@servicekit/core/internal";

/** The requests of each open connection that have not been answered to the end, in their order. */
export type RunningRequests = ReadonlyMap<Socket, readonly ServerResponse[]>;

/** Ends a server without losing an answer. */
export interface ServerStop {
  readonly running: RunningRequests;
  /** Goes on accepting, but from now on each answer says `Connection: close` and is the last on its connection. */
  endConnections(): void;
  /**
   * Stops accepting (a server that never listened has the connections that it was given), closes idle connections, and
   * every other one after the last answer on it has been sent. What still
   * runs after the drain time is cut.
   *
   * @param drain milliseconds
   * @param onCut is told each request that is cut
   */
  stop(drain: number, onCut: (request: IncomingMessage) => void): Promise<void>;
  /** How many requests have not been answered to the end. */
  count(): number;
}

/**
 * Watches the connections of a server, so that it can be stopped. Node's own `closeIdleConnections`, which its `close`
 * calls too, takes a connection for idle while the end of a large answer still waits to be sent, and cuts it.
 */
export function watchConnections(server: Server): ServerStop {
  const running = new Map<Socket, ServerResponse[]>();
  let isEnding = false;
  let isStopping = false;
  let onGone = (): void => undefined;
  const endConnections = (): void => {
    isEnding = true;
    for (const responses of running.values()) sayClose(responses);
  };
  server.on("connection", (socket: Socket) => {
    running.set(socket, []);
    socket.once("close", () => {
      running.delete(socket);
      onGone();
    });
  });
  // Before the application, which may answer in the same turn.
  server.prependListener("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    const responses = running.get(socket);
    if (responses === undefined) return;
    responses.push(response);
    if (isEnding) sayClose(responses);
    response.on("close", () => {
      if (responses.at(-1) === response) responses.pop();
      else responses.splice(responses.indexOf(response), 1);
      if (isStopping && responses.length === 0) socket.destroySoon();
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
        // The HTTP server's own close would cut answers as well.
        if (isOpen)
          NetServer.prototype.close.call(server, () => {
            isOpen = false;
            settle();
          });
        for (const [socket, responses] of running) if (responses.length === 0) socket.destroySoon();
        settle();
      });
    },
  };
}

/** The last answer alone: requests that a client has sent behind another are answered too (RFC 9112, section 9.6). */
function sayClose(responses: readonly ServerResponse[]): void {
  const last = responses.at(-1);
  for (const response of responses) if (!response.headersSent) response.shouldKeepAlive = response !== last;
}
