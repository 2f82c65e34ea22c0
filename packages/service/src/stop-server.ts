import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";

/** Ends a server without losing an answer. */
export interface ServerStop {
  /**
   * Stops accepting, closes idle connections, and every other one after the last answer on it has been sent. What still
   * runs after the drain time is cut.
   *
   * @param drain milliseconds
   */
  stop(drain: number): Promise<void>;
}

/** A timer of Node's that is longer ends at once. */
const longestTimer = 2 ** 31 - 1;

/**
 * Watches the connections of a server, so that it can be stopped. Node's own `closeIdleConnections`, which its `close`
 * calls too, takes a connection for idle while the end of a large answer still waits to be sent, and cuts it.
 */
export function watchConnections(server: Server): ServerStop {
  /** How many requests of each open connection have not been answered to the end. */
  const running = new Map<Socket, number>();
  let isStopping = false;
  const count = (socket: Socket, change: number): void => {
    const left = (running.get(socket) ?? 0) + change;
    if (running.has(socket)) running.set(socket, left);
    if (isStopping && left === 0) socket.destroySoon();
  };
  server.on("connection", (socket: Socket) => {
    running.set(socket, 0);
    socket.once("close", () => running.delete(socket));
  });
  server.on("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    count(socket, 1);
    response.once("close", () => count(socket, -1));
  });
  return {
    stop: (drain) => {
      if (!server.listening) return Promise.resolve();
      isStopping = true;
      return new Promise((resolve) => {
        const cut = setTimeout(() => server.closeAllConnections(), Math.min(drain, longestTimer));
        // The HTTP server's own close would cut answers as well.
        NetServer.prototype.close.call(server, () => {
          clearTimeout(cut);
          resolve();
        });
        for (const [socket, requests] of running) if (requests === 0) socket.destroySoon();
      });
    },
  };
}
