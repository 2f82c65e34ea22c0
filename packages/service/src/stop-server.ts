import type { Server } from "node:http";

/**
 * Stops accepting, closes idle connections and waits for running requests; what still runs after the drain time is cut.
 *
 * @param drain milliseconds
 */
export function closeServer(server: Server, drain: number): Promise<void> {
  if (!server.listening) return Promise.resolve();
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), drain);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
}
