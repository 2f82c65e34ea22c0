import type { WorkerLink } from "@servicekit/server/internal";
import type { ReadSettings } from "../config/settings.js";
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
export async function assembleService(read: ReadSettings, worker?: WorkerLink): Promise<Service> {
  const opened = await openResources(read, worker);
  try {
    const bound = await bindServiceRoutes(opened);
    const mounted = await mountRouters(bound);
    const served = await attachServer(mounted);
    return publicService(addClose(served));
  } catch (error) {
    // An error of closing must not hide the first error.
    await Promise.allSettled(opened.features.release());
    throw error;
  }
}

/** The part of the context that users of a service see. */
function publicService({ opened, metrics, auth, docs, settings, ...service }: ClosableService): Service {
  const { app, server, fetch, logger, mailer, close } = service;
  return Object.freeze({
    ...{ app, server, fetch, logger, mailer, close },
    metricsServer: metrics?.server,
    config: settings,
    database: opened?.database,
    hashPassword: async (password: string) => {
      if (auth === undefined) throw new Error("No authentication is configured, so passwords cannot be hashed.");
      return auth.hashPassword(password);
    },
    openapi: () => makeOpenApi(docs),
  });
}
