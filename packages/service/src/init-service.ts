import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { assembleService } from "./assembly/assemble-service.js";
import type { CloseTimes, Service } from "./assembly/service.js";
import type { ServiceInitConfig } from "./config/service-config.js";
import { type Environment, readSettings, type ServiceSettings, type Surroundings } from "./config/settings.js";
import { urlOf } from "./config/url-of.js";
import { createService } from "./create-service.js";
import { awaitDatabase } from "./lifecycle/await-database.js";
import { endOnException } from "./lifecycle/end-on-exception.js";
import { keepObjectsYoung } from "./lifecycle/keep-objects-young.js";
import { listen } from "./lifecycle/listen.js";
import { openWorkers } from "./lifecycle/open-workers.js";
import { outliveRejections } from "./lifecycle/outlive-rejections.js";
import { stopOnSignals } from "./lifecycle/stop-on-signals.js";
import { holdLines } from "./logging/held-lines.js";

/** What an application is called with to be looked into in place of being run; `@servicekit/cli` answers. */
const programCommands: ReadonlySet<string> = new Set([
  "access",
  "config",
  "eject",
  "mcp",
  "models",
  "openapi",
  "routes",
  "user",
]);

/** A service that listens. */
export interface RunningService extends Service {
  /** Where it listens, such as `http://localhost:8000`. */
  readonly url: string;
}

/**
 * Puts a service together and listens. SIGTERM and SIGINT stop it (contract C41, C66): it is not ready any more and
 * goes on for `shutdown.delay`, running requests end, the database is disconnected, the process exits with 0. A second
 * signal exits at once. An exception that nobody caught ends it too, with 1.
 *
 * With `workers` this process does not get further than here: it runs the program again in so many processes, and ends with
 * them (contract C78).
 *
 * Where the program was called with `openapi --out <file>`, or another command that looks into a service, it does that in
 * place of listening, and the process exits.
 *
 * @throws {StartError} with everything that is wrong, a port that is taken included
 */
export async function initService(
  config: ServiceInitConfig = {},
  surroundings: Surroundings = {},
): Promise<RunningService> {
  const { argv = process.argv.slice(2) } = surroundings;
  if (programCommands.has(argv[0] ?? "")) {
    const { runProgramCommand } = await import("@servicekit/cli/internal");
    const { environment = process.env } = surroundings;
    const create = (given: Environment) => createService(config, { ...surroundings, argv, environment: given });
    // What follows in the program expects a service that runs.
    process.exit(await runProgramCommand(argv, { create, environment, needsFile: false }));
  }
  keepObjectsYoung();
  const read = await readSettings(config, { ...surroundings, argv });
  const link = await openWorkers(read);
  const service = await assembleService(read, link);
  try {
    const { server, metricsServer, config: settings } = service;
    if (metricsServer && settings.metrics && "port" in settings.metrics) {
      await listen(metricsServer, { host: settings.host, port: settings.metrics.port });
    }
    await listen(server, settings);
  } catch (error) {
    await service.close();
    throw error;
  }
  const { database, logger } = service;
  const release = [
    stopOnSignals(service, { isWorker: link !== undefined }),
    endOnException(service),
    outliveRejections(service),
    holdLines(logger),
    ...(database === undefined ? [] : [awaitDatabase(database, { logger, root: service.config.root })]),
  ];
  const close = (times?: CloseTimes): Promise<void> => {
    for (const letGo of release) letGo();
    return service.close(times);
  };
  link?.ready();
  return Object.freeze({ ...service, close, url: addressOf(service.server, service.config) });
}

function addressOf(server: Server, { host }: ServiceSettings): string {
  return urlOf(host, (server.address() as AddressInfo).port);
}
