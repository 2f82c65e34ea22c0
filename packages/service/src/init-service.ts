import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { StartError } from "@servicekit/errors";
import { awaitDatabase } from "./await-database.js";
import { isOpenApiCommand, runOpenApiCommand } from "./cli/openapi-command.js";
import type { ServiceInitConfig } from "./config/service-config.js";
import { createService, type Service } from "./create-service.js";
import { loggedError } from "./logging/logged-error.js";
import type { ServiceSettings, Surroundings } from "./settings.js";
import { urlOf } from "./url-of.js";

/** A service that listens. */
export interface RunningService extends Service {
  /** Where it listens, such as `http://localhost:8000`. */
  readonly url: string;
}

/**
 * Puts a service together and listens. SIGTERM and SIGINT stop it (contract C41): running requests end, the database is
 * disconnected, the process exits with 0. A second signal exits at once.
 *
 * Where the program was called with the arguments `openapi --out <file>` it writes the OpenAPI document of the service
 * in place of listening, and the process exits with 0.
 *
 * @throws {StartError} with everything that is wrong, a port that is taken included
 */
export async function initService(
  config: ServiceInitConfig = {},
  surroundings: Surroundings = {},
): Promise<RunningService> {
  const { argv = process.argv.slice(2) } = surroundings;
  if (isOpenApiCommand(argv)) {
    console.log(await runOpenApiCommand({ config, surroundings, argv, needsFile: false }));
    // What follows in the program expects a service that runs.
    process.exit(0);
  }
  const service = await createService(config, { ...surroundings, argv });
  try {
    await listen(service.server, service.config);
  } catch (error) {
    await service.close();
    throw error;
  }
  const { database, logger } = service;
  const release = [
    stopOnSignals(service),
    outliveDetachedRejections(service),
    ...(database === undefined ? [] : [awaitDatabase(database, logger)]),
  ];
  const close = (): Promise<void> => {
    for (const letGo of release) letGo();
    return service.close();
  };
  return Object.freeze({ ...service, close, url: addressOf(service.server, service.config) });
}

function listen(server: Server, { port, host }: ServiceSettings): Promise<void> {
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

function addressOf(server: Server, { host }: ServiceSettings): string {
  return urlOf(host, (server.address() as AddressInfo).port);
}

/** Tells the listeners of other services in this process from those of the user. */
const stopKey = Symbol.for("servicekit.stopOnSignal");

const isStop = (listener: object): boolean => stopKey in listener;

/** @returns what takes the listeners away again */
function stopOnSignals(service: Service): () => void {
  let stopping = false;
  const stop = (): void => {
    if (stopping) process.exit(1);
    stopping = true;
    service.close().then(
      () => {
        letGo();
        // The last service to stop ends the process, so that none cuts the answers of another.
        if (!process.listeners("SIGTERM").some(isStop)) process.exit(0);
      },
      (error: unknown) => {
        service.logger.error({ err: error }, "the service did not stop cleanly");
        process.exit(1);
      },
    );
  };
  const signals = ["SIGTERM", "SIGINT"] as const;
  const letGo = (): void => {
    for (const signal of signals) process.off(signal, stop);
  };
  Object.assign(stop, { [stopKey]: true });
  for (const signal of signals) process.on(signal, stop);
  return letGo;
}

/**
 * A promise that a handler left behind and that is rejected after the answer would end the process: it is logged instead.
 *
 * @returns what takes the listener away again
 */
function outliveDetachedRejections({ logger }: Service): () => void {
  const log = (reason: unknown): void =>
    logger.error({ err: loggedError(reason) }, "a promise was rejected and nobody waited for it");
  process.on("unhandledRejection", log);
  return () => process.off("unhandledRejection", log);
}
