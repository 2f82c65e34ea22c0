import type { Server } from "node:http";
import { makeModelRouter } from "@servicekit/model-router";
import type { Database } from "@servicekit/orm";
import { bindRoutes, makeApp, makeErrorHandler, makeNotFound, makeServer } from "@servicekit/router";
import type { ErrorRequestHandler, Express } from "express";
import { checkConfig, type ServiceInitConfig, type Usable } from "./config.js";
import { logError } from "./log-error.js";
import { openDatabase } from "./open-database.js";
import { requestId } from "./request-id.js";
import { globalSteps, routeSteps } from "./route-steps.js";
import { type Environment, type ServiceSettings, toSettings } from "./settings.js";
import { closeServer } from "./stop-server.js";
import { makeWelcomeRouter } from "./welcome-router.js";

/** A service that was put together (contract C40). */
export interface Service {
  readonly app: Express;
  readonly server: Server;
  /** The configuration with every default filled in. */
  readonly config: ServiceSettings;
  /** The database of the generated routes, for handlers of your own; `undefined` when none is configured. */
  readonly database: Database | undefined;
  /** Stops accepting, lets running requests end, disconnects from the database. Called again it waits for the same end. */
  close(): Promise<void>;
}

/**
 * Puts a service together without listening: for tests, and for hosts that listen themselves.
 *
 * @throws {StartError} with everything that is wrong with the configuration, the models and the declared routes
 */
export async function createService(
  config: ServiceInitConfig = {},
  environment: Environment = process.env,
): Promise<Service> {
  checkConfig(config);
  const settings = toSettings(config, environment);
  const database = config.database === undefined ? undefined : openDatabase(config.database, settings);

  const app = makeApp();
  await config.configureApp?.(app);
  const routes = bindRoutes(app, {
    global: globalSteps(settings),
    route: routeSteps(),
    maxUrlLength: settings.urlBytes,
  });
  const used = sortUsed(config.use ?? []);
  app.use(requestId());
  app.use(routes.match);
  app.use(...used.handlers, routes.afterUse);
  app.use("/api", makeWelcomeRouter(settings.welcomeMessage));
  if (database !== undefined) {
    app.use("/api", makeModelRouter({ models: database.models, database, settings: settings.modelRouter }));
  }
  if (used.routers.length > 0) app.use(...used.routers);
  app.use(makeNotFound(routes.table()));
  if (used.errorHandlers.length > 0) app.use(...used.errorHandlers);
  app.use(makeErrorHandler({ log: logError }));
  routes.check();

  const { request: requestTimeout, headers: headersTimeout } = settings.timeouts;
  const server = makeServer(app, { requestTimeout, headersTimeout });
  await config.configureServer?.(server);

  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await closeServer(server, settings.drain);
    await database?.disconnect();
  };
  return Object.freeze({ app, server, config: settings, database, close: () => (closing ??= close()) });
}

/** `use` takes three kinds of things, and each has its own place (contract C54). */
function sortUsed(used: readonly Usable[]) {
  const isRouter = (item: Usable): boolean => "stack" in item && Array.isArray(item.stack);
  return {
    routers: used.filter(isRouter) as Express[],
    errorHandlers: used.filter((item) => !isRouter(item) && item.length === 4) as ErrorRequestHandler[],
    handlers: used.filter((item) => !isRouter(item) && item.length !== 4) as Express[],
  };
}
