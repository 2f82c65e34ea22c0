import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { isOpenApiCommand, runOpenApiCommand } from "./cli/openapi-command.js";
import type { ServiceInitConfig } from "./config/service-config.js";
import { type CloseTimes, createService, type Service } from "./create-service.js";
import { awaitDatabase } from "./lifecycle/await-database.js";
import { endOnException } from "./lifecycle/end-on-exception.js";
import { listen } from "./lifecycle/listen.js";
import { outliveRejections } from "./lifecycle/outlive-rejections.js";
import { stopOnSignals } from "./lifecycle/stop-on-signals.js";
import { holdLines } from "./logging/held-lines.js";
import type { ServiceSettings, Surroundings } from "./settings.js";
import { urlOf } from "./url-of.js";

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
    stopOnSignals(service),
    endOnException(service),
    outliveRejections(service),
    holdLines(logger),
    ...(database === undefined ? [] : [awaitDatabase(database, logger)]),
  ];
  const close = (times?: CloseTimes): Promise<void> => {
    for (const letGo of release) letGo();
    return service.close(times);
  };
  return Object.freeze({ ...service, close, url: addressOf(service.server, service.config) });
}

function addressOf(server: Server, { host }: ServiceSettings): string {
  return urlOf(host, (server.address() as AddressInfo).port);
}
