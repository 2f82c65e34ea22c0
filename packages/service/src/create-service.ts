import type { Server } from "node:http";
import { type Mailer, makeMailer } from "@servicekit/mailer";
import type { Database } from "@servicekit/orm";
import {
  bindRoutes,
  makeApp,
  makeErrorHandler,
  makeNotFound,
  makeServer,
  type RateLimitStore,
} from "@servicekit/router";
import type { ErrorRequestHandler, Express } from "express";
import type { Logger } from "pino";
import { builtInRouters } from "./built-in-routers.js";
import type { ServiceInitConfig } from "./config/service-config.js";
import { globalSteps, handlersBeforeMatch, routeSteps } from "./global-pipeline.js";
import { databaseCheck, redisCheck } from "./health-router.js";
import { debugRequests } from "./logging/debug-requests.js";
import { logError } from "./logging/log-error.js";
import { makeLogger } from "./logging/make-logger.js";
import { openDatabase } from "./open-database.js";
import { openRedis, type Redis } from "./redis/open-redis.js";
import { loadSettings, type ServiceSettings, type Surroundings } from "./settings.js";
import { sortUsed } from "./sort-used.js";
import { watchConnections } from "./stop-server.js";
import { timeLimits } from "./time-limits.js";

/** A service that was put together (contract C40). */
export interface Service {
  readonly app: Express;
  readonly server: Server;
  /** The configuration from all sources, with every default filled in. */
  readonly config: ServiceSettings;
  /** The database of the generated routes, for handlers of your own; `undefined` when none is configured. */
  readonly database: Database | undefined;
  readonly logger: Logger;
  /** Sends mails through the server of the `email` settings; without them, sending is refused with what is missing. */
  readonly mailer: Mailer;
  /** Stops accepting, lets running requests end, disconnects from the database. Called again it waits for the same end. */
  close(): Promise<void>;
}

/**
 * Puts a service together without listening: for tests, and for hosts that listen themselves.
 *
 * @throws {StartError} with everything that is wrong with the configuration, the models and the declared routes
 */
export async function createService(init: ServiceInitConfig = {}, surroundings: Surroundings = {}): Promise<Service> {
  const settings = await loadSettings(init, surroundings);
  const logger = settings.logger ?? (await makeLogger(settings.nodeEnv));
  const database = settings.database === undefined ? undefined : openDatabase(settings.database, settings);
  const mailer = makeMailer(settings.email);
  const redis = settings.redisUrl === undefined ? undefined : await openRedis(settings.redisUrl, logger);
  const state = { isDraining: false };
  const makeStore = redis === undefined ? undefined : await sharedStores(redis);
  const context = { settings, logger, makeStore };

  const app = makeApp();
  // Handlers reach them as request.app.locals.mailer and so on.
  Object.assign(app.locals, { database, logger, mailer });
  app.set("trust proxy", settings.trustProxy ?? false);
  // A .env file may say it: Express's own error handler shows stacks unless it is production.
  app.set("env", settings.nodeEnv);
  await settings.configureApp?.(app);
  const routes = bindRoutes(app, {
    global: globalSteps(context),
    route: routeSteps(context),
    maxUrlLength: settings.urlBytes,
  });
  const used = sortUsed(settings.use);
  const debug = debugRequests(settings.debugging.requests ?? {}, logger);
  app.use(...(await handlersBeforeMatch(context)), timeLimits(settings.timeouts));
  app.use(routes.match, ...(debug === undefined ? [] : [debug]));
  app.use(...settings.additionalMiddlewares, ...used.handlers, routes.afterUse);
  const routers = builtInRouters({
    settings,
    database,
    checks: [
      ...(database === undefined ? [] : [databaseCheck(database)]),
      ...(redis === undefined ? [] : [redisCheck(redis)]),
    ],
    isDraining: () => state.isDraining,
    logger,
  });
  for (const router of routers) app.use("/api", router);
  if (used.routers.length > 0) app.use(...used.routers);
  app.use(makeNotFound(routes.table()));
  for (const handler of [...used.errorHandlers, ...lastErrorHandler(settings, logger)]) app.use(handler);
  routes.check();

  const server = makeServer(app, { requestTimeout: 0, headersTimeout: settings.timeouts.headers });
  const connections = watchConnections(server);
  await settings.configureServer?.(server);

  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    state.isDraining = true;
    await connections.stop(settings.drain);
    await Promise.all([database?.disconnect(), redis?.close(), mailer.close()]);
  };
  return Object.freeze({
    app,
    server,
    config: settings,
    database,
    logger,
    mailer,
    close: () => {
      closing ??= close();
      return closing;
    },
  });
}

/** The library is loaded only where Redis is used. */
async function sharedStores(redis: Redis): Promise<(scope: string) => RateLimitStore> {
  const { makeRateLimitStore } = await import("./redis/rate-limit-store.js");
  return (scope) => makeRateLimitStore(redis, scope);
}

/** Ours, the user's in its place, or none: then Express's own answers. */
function lastErrorHandler({ middlewares }: ServiceSettings, logger: Logger): ErrorRequestHandler[] {
  const { errorHandler } = middlewares;
  if (errorHandler === false) return [];
  return [errorHandler ?? makeErrorHandler({ log: logError(logger) })];
}
