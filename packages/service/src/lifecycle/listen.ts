import type { Server } from "node:http";
import { StartError } from "@servicekit/core";
import type { ServiceSettings } from "../config/settings.js";

/** @throws {StartError} for an address where nobody can listen, such as a port that is taken */
export function listen(server: Server, { port, host }: Pick<ServiceSettings, "port" | "host">): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(listenFault(error, port, host)));
    server.listen(port, host, () => {
      server.removeAllListeners("error");
      resolve();
    });
  });
}

function listenFault(error: NodeJS.ErrnoException, port: number, host: string): StartError {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: "another program listens there already; stop it, or choose another port (PORT=8001)",
    EACCES: "this user may not listen there; choose a port over 1023",
    EADDRNOTAVAIL: "this machine has no such address; choose another host (HOST=127.0.0.1)",
    ENOTFOUND: "this name leads to no address; choose another host (HOST=127.0.0.1)",
  };
  const message = `Cannot listen: ${reasons[error.code ?? ""] ?? error.message}.`;
  return new StartError([{ where: `${host}:${port}`, message }]);
}
