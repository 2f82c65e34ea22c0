import type { Server } from "node:http";
import { StartupError } from "@servicekit/core";
import type { ServiceSettings } from "../config/settings.js";

/** @throws {StartupError} if the server cannot listen at the address, for example because the port is in use */
export function listen(server: Server, { port, host }: Pick<ServiceSettings, "port" | "host">): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(listenError(error, port, host)));
    server.listen(port, host, () => {
      server.removeAllListeners("error");
      resolve();
    });
  });
}

function listenError(error: NodeJS.ErrnoException, port: number, host: string): StartupError {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `the port is in use; stop the other program, or choose another port (PORT=${port < 65_535 ? port + 1 : port - 1})`,
    EACCES: "this user may not listen on this port; choose a port above 1023",
    EADDRNOTAVAIL: "this machine does not have this address; choose another host (HOST=127.0.0.1)",
    ENOTFOUND: "the host name does not resolve; choose another host (HOST=127.0.0.1)",
  };
  const message = `Cannot listen: ${reasons[error.code ?? ""] ?? error.message}.`;
  return new StartupError([{ where: `${host}:${port}`, message }]);
}
