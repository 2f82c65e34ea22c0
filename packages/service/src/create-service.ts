import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type FaultList, makeFaultList, StartError } from "@servicekit/errors";
import { type Mailer, makeMailer } from "@servicekit/mailer";
import { checkModelConfigs } from "@servicekit/model-router";
import type { OpenApiDocument } from "@servicekit/openapi";
import { type Database, type Models, readModels } from "@servicekit/orm";
import { configuredModels } from "@servicekit/resource";
import { bindRoutes, makeApp, makeErrorHandler, makeNotFound, makeServer } from "@servicekit/router";
import type { ErrorRequestHandler, Express } from "express";
import type { Logger } from "pino";
import { builtInPathFaults, builtInRouters } from "./built-in-routers.js";
import { checkBehindFaults } from "./check-behind-faults.js";
import { composeErrorHandlers } from "./compose-error-handlers.js";
import type { ServiceInitConfig } from "./config/service-config.js";
import { globalSteps, handlersBeforeMatch, routeSteps } from "./global-pipeline.js";
import { databaseCheck, redisCheck } from "./health-router.js";
import { debugRequests } from "./logging/debug-requests.js";
import { logError } from "./logging/log-error.js";
import { makeLogger } from "./logging/make-logger.js";
import { openAccessFaults } from "./open-access-faults.js";
import { openAuth } from "./open-auth.js";
import { openDatabase } from "./open-database.js";
import { checkDocs, type DocsContext, makeOpenApi } from "./open-docs.js";
import { openModelRouter } from "./open-model-router.js";
import { givenModules, moduleFaults, openModules, otherModuleNames, type ServiceModules } from "./open-modules.js";
import { openUploads } from "./open-uploads.js";
import { warnOfProxies } from "./proxy-trust.js";
import { openRedis } from "./redis/open-redis.js";
import { openRateLimitStores } from "./redis/rate-limit-store.js";
import { readRequestTime } from "./request-time.js";
import { readSettings, type ServiceSettings, type Surroundings } from "./settings.js";
import { sortUsed } from "./sort-used.js";
import { watchConnections } from "./stop-server.js";
import { timeLimits } from "./time-limits.js";
import { urlOf } from "./url-of.js";

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
  /** The OpenAPI document of this service (contract C47), also where its documentation is not served. */
  openapi(): Promise<OpenApiDocument>;
  /** Stops accepting, lets running requests end, disconnects from the database. Called again it waits for the same end. */
  close(): Promise<void>;
}

/**
 * Puts a service together without listening: for tests, and for hosts that listen themselves.
 *
 * @throws {StartError} with everything that is wrong with the configuration, the models and the declared routes
 */
export async function createService(init: ServiceInitConfig = {}, surroundings: Surroundings = {}): Promise<Service> {
  const { settings, faults: known } = await readSettings(init, surroundings);
  const faults = makeFaultList(known);
  const logger = settings.logger ?? (await makeLogger(settings.nodeEnv));
  const { models, modules } = await readSchema(settings, logger, faults);
  if (faults.all.length > 0) await checkBehindFaults(settings, { models, modules }, faults);
  faults.throwIfAny();
  const database =
    settings.database === undefined ? undefined : await openDatabase(settings.database, models, settings);
  const mailer = makeMailer(settings.email);
  const redis = settings.redisUrl === undefined ? undefined : await openRedis(settings.redisUrl, logger);
  const state = { isDraining: false };
  const makeStore = redis === undefined ? undefined : await openRateLimitStores(redis);
  const auth = await faults.during(() =>
    openAuth({ settings, database, logger, mailer, redis, makeStore, module: modules.auth }),
  );
  const listening: { server?: Server } = {};
  const url = (): string => addressOf(listening.server, settings);
  const uploads = await faults.during(() => openUploads(settings, { auth, module: modules.fileUpload, logger, url }));
  const release = () => [database?.disconnect(), redis?.close(), mailer.close(), auth?.close()];
  const fail = async (): Promise<never> => {
    // What cannot be closed must not hide what is wrong.
    await Promise.allSettled(release());
    throw new StartError(faults.all);
  };
  if (uploads === undefined || faults.all.length > 0) return fail();
  const context = { settings, logger, makeStore, auth, uploads };

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
  const lastHandler = lastErrorHandler(settings, logger);
  const errorHandlers = [...used.errorHandlers, ...lastHandler];
  // Without a last handler of ours Express's own answers, and only Express can call that.
  const handleTimeout = lastHandler.length === 0 ? undefined : composeErrorHandlers(errorHandlers);
  let requestTime = settings.timeouts.request;
  const answerMs = (): number => requestTime;
  const debug = debugRequests(settings.debugging.requests ?? {}, logger);
  app.use(
    ...warnOfProxies(settings.trustProxy, logger),
    ...(await handlersBeforeMatch(context)),
    timeLimits({ answerMs, idleMs: settings.timeouts.idle }, handleTimeout),
  );
  app.use(routes.match, ...(debug === undefined ? [] : [debug]));
  app.use(...settings.additionalMiddlewares, ...used.handlers, routes.afterUse);
  const { errorsOf } = routes;
  const docs: DocsContext = { settings, table: routes.table(), errorsOf, auth, logger };
  const routers = await builtInRouters({
    ...docs,
    database,
    uploads,
    modelRouter: openModelRouter(settings, { database, models: modules.models, auth, logger }),
    checks: [
      ...(database === undefined ? [] : [databaseCheck(database)]),
      ...(redis === undefined ? [] : [redisCheck(redis)]),
    ],
    isDraining: () => state.isDraining,
  });
  for (const [path, router] of routers) app.use(path, router);
  if (used.routers.length > 0) app.use(...used.routers);
  app.use(makeNotFound(routes.table()));
  for (const handler of errorHandlers) app.use(handler);
  await faults.during(() => routes.check());
  faults.addAll(builtInPathFaults(routes.table(), settings));
  await faults.during(() => checkDocs(routes.table(), settings));
  if (faults.all.length > 0) return fail();
  if (auth === undefined && settings.nodeEnv === "production") logger.warn(everythingOpen);

  const server = makeServer(app, { requestTimeout: 0, headersTimeout: settings.timeouts.headers });
  listening.server = server;
  const connections = watchConnections(server);
  await settings.configureServer?.(server);
  requestTime = readRequestTime(server, settings, logger);

  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    state.isDraining = true;
    await connections.stop(settings.drain);
    await Promise.all(release());
  };
  return Object.freeze({
    app,
    server,
    config: settings,
    database,
    logger,
    mailer,
    openapi: () => makeOpenApi(docs),
    close: () => {
      closing ??= close();
      return closing;
    },
  });
}

const everythingOpen =
  "no authentication is configured: every route is open to everyone. Give a block authentication, or { enabled: false } to say that it is on purpose.";

/** The models, with what the configuration hides of them, and the modules that configure them. */
async function readSchema(
  settings: ServiceSettings,
  logger: Logger,
  faults: FaultList,
): Promise<{ readonly models: Models; readonly modules: ServiceModules }> {
  const { database } = settings;
  const read = database === undefined ? undefined : await faults.during(() => readModels(database.models));
  // Without the models nobody knows which module belongs to one.
  if (database !== undefined && read === undefined)
    return { models: new Map(), modules: givenModules(settings, undefined) };
  const modules = (await faults.during(() => openModules(settings, read, logger))) ?? givenModules(settings, read);
  faults.addAll(moduleFaults(modules));
  faults.addAll(openAccessFaults(settings, modules, faults));
  if (read === undefined) {
    // Without a database every name is unknown that is no module of the service.
    const { models: given } = givenModules(settings, undefined);
    await faults.during(() => checkModelConfigs(given, new Map(), otherModuleNames));
    return { models: new Map(), modules };
  }
  const before = faults.all.length;
  await faults.during(() => checkModelConfigs(modules.models, read, otherModuleNames));
  const isRight = faults.all.length === before;
  return { models: isRight ? configuredModels(read, modules.models) : read, modules };
}

/** Where the service is reached: the port that it listens at, or the configured one before that. */
function addressOf(server: Server | undefined, { host, port }: ServiceSettings): string {
  const address = server?.address() as AddressInfo | null | undefined;
  return urlOf(host, address?.port ?? port);
}

/** Ours, the user's in its place, or none: then Express's own answers. */
function lastErrorHandler({ middlewares }: ServiceSettings, logger: Logger): ErrorRequestHandler[] {
  const { errorHandler } = middlewares;
  if (errorHandler === false) return [];
  return [errorHandler ?? makeErrorHandler({ log: logError(logger) })];
}
