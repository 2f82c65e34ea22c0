import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { assembleService } from "./assembly/assemble-service.js";
import type { CloseTimes, Service } from "./assembly/service.js";
import type { ServiceInitConfig } from "./config/service-config.js";
import { type RuntimeEnvironment, readSettings, type ServiceSettings } from "./config/settings.js";
import { urlOf } from "./config/url-of.js";
import { awaitDatabase } from "./lifecycle/await-database.js";
import { checkDatabase } from "./lifecycle/database-reports.js";
import { endOnException } from "./lifecycle/end-on-exception.js";
import { listen } from "./lifecycle/listen.js";
import { openWorkers } from "./lifecycle/open-workers.js";
import { outliveRejections } from "./lifecycle/outlive-rejections.js";
import { stopOnSignals } from "./lifecycle/stop-on-signals.js";
import { bufferLines } from "./logging/buffered-lines.js";
import { runOwnCommand } from "./run-own-command.js";

/** A service that listens. */
export interface RunningService extends Service {
  /** Its URL, such as `http://localhost:8000`. */
  readonly url: string;
}

/**
 * Assembles a service and listens. SIGTERM and SIGINT stop it (contract C41, C66): it is not ready any more and
 * continues for `shutdown.delay`, running requests end, the database is disconnected, the process exits with 0. A
 * second signal exits immediately. An uncaught exception also ends it, with 1.
 *
 * With `workers` this process does not return: it runs the program again in several processes, and ends with them
 * (contract C78).
 *
 * If the program was called with `openapi --out <file>`, or another inspecting command, it runs that instead of
 * listening, and the process exits.
 *
 * @throws {StartupError} with all issues, including a port in use
 */
export async function initService(
  config: ServiceInitConfig = {},
  runtime: RuntimeEnvironment = {},
): Promise<RunningService> {
  const { argv = process.argv.slice(2), environment = process.env } = runtime;
  await runOwnCommand(config, runtime);
  const read = await readSettings(config, { ...runtime, argv });
  const link = await openWorkers(read);
  const { service, models, consumers, schema, tenantCheck } = await assembleService(read, link);
  const { database, logger } = service;
  const isJobWorker = environment.SERVICEKIT_ROLE === "worker";
  try {
    if (isJobWorker || service.config.jobs.run === "in-process") await service.runJobs();
    if (database !== undefined) await checkDatabase({ database, schema, tenantCheck });
    const { server, metricsServer, config: settings } = service;
    if (metricsServer && settings.metrics && "port" in settings.metrics) {
      await listen(metricsServer, { host: settings.host, port: settings.metrics.port });
    }
    if (isJobWorker) logger.info("running jobs without listening");
    else await listen(server, settings);
  } catch (error) {
    await service.close();
    throw error;
  }
  const release = [
    stopOnSignals(service, { isWorker: link !== undefined }),
    endOnException(service),
    outliveRejections(service),
    bufferLines(logger),
    ...(database === undefined
      ? []
      : [awaitDatabase({ database, schema, tenantCheck }, { logger, root: service.config.root, models, consumers })]),
  ];
  const close = (times?: CloseTimes): Promise<void> => {
    for (const letGo of release) letGo();
    return service.close(times);
  };
  link?.ready();
  return Object.freeze({ ...service, close, url: addressOf(service.server, service.config) });
}

function addressOf(server: Server, { host, port }: ServiceSettings): string {
  return urlOf(host, (server.address() as AddressInfo | null)?.port ?? port);
}
