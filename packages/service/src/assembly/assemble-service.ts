import type { ModelConfig } from "@servicekit/model-router";
import type { WorkerLink } from "@servicekit/server/internal";
import type { ReadSettings } from "../config/settings.js";
import type { TenantCheck } from "../parts/tenant-columns.js";
import { makeOpenApi } from "../routers/open-docs.js";
import { addClose, type ClosableService } from "./add-close.js";
import { attachServer } from "./attach-server.js";
import { bindServiceRoutes } from "./bind-service-routes.js";
import { mountRouters } from "./mount-routers.js";
import { openResources } from "./open-resources.js";
import type { Service } from "./service.js";

/**
 * Assembles a service in phases. Each phase takes the context of the phase before it and returns it with its own part added.
 *
 * @param worker the primary process, when the service is one of several workers
 * @throws {StartupError} with all errors of the configuration, the models and the declared routes
 */
export async function assembleService(read: ReadSettings, worker?: WorkerLink): Promise<AssembledService> {
  const opened = await openResources(read, worker);
  try {
    const bound = await bindServiceRoutes(opened);
    const mounted = await mountRouters(bound);
    const served = await attachServer(mounted);
    const { modules, background } = served;
    return {
      service: publicService(addClose(served)),
      models: modules.models,
      consumers: background.consumers,
      schema: served.opened?.schema,
      tenantCheck: served.tenantCheck,
    };
  } catch (error) {
    // An error of closing must not hide the first error.
    await Promise.allSettled(opened.features.release());
    throw error;
  }
}

/** The service, and what its start needs besides. */
export interface AssembledService {
  readonly service: Service;
  /** The configuration of every model, including that of its module. */
  readonly models: Readonly<Record<string, ModelConfig>>;
  /** The names of the consumers of the change log. */
  readonly consumers: readonly string[];
  /** The database schema of models without one, if SQL can query it. */
  readonly schema: string | undefined;
  /** Compares the columns of tenants with the database. */
  readonly tenantCheck: TenantCheck;
}

/** The part of the context that users of a service see. */
function publicService(closable: ClosableService): Service {
  const { opened, metrics, auth, docs, settings, background, ...service } = closable;
  const { app, server, fetch, logger, mailer, close } = service;
  return Object.freeze({
    ...{ app, server, fetch, logger, mailer, close },
    metricsServer: metrics?.server,
    config: settings,
    database: opened?.database,
    jobs: background.jobs,
    jobQueues: background.queues,
    runJobs: background.start,
    hashPassword: async (password: string) => {
      if (auth === undefined) throw new Error("No authentication is configured, so passwords cannot be hashed.");
      return auth.hashPassword(password);
    },
    openapi: () => makeOpenApi(docs),
  });
}
