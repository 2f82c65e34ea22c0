import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { StartError } from "@servicekit/core";
import { longestTimer, makeFaultList } from "@servicekit/core/internal";
import { type Mailer, makeMailer } from "@servicekit/mailer";
import type { OpenApiDocument } from "@servicekit/openapi";
import type { Database } from "@servicekit/prisma";
import { makeApp, makeServer } from "@servicekit/router";
import {
  bindRoutes,
  joinRouters,
  makeIsForeign,
  makeNotFound,
  unmountedRoutes,
  watchHost,
} from "@servicekit/router/internal";
import { type FetchHandler, makeFetch, watchConnections } from "@servicekit/server";
import type { WorkerLink } from "@servicekit/server/internal";
import {
  inSequence,
  openLoadShedding,
  timeLimits,
  watchAnswers,
  withinGate,
  withOverload,
} from "@servicekit/server/internal";
import { openMetrics, openTracing } from "@servicekit/telemetry";
import type { Express, Request } from "express";
import type { Logger } from "pino";
import { readRequestTime } from "./config/request-time.js";
import type { ServiceInitConfig } from "./config/service-config.js";
import { type ReadSettings, readSettings, type ServiceSettings, type Surroundings } from "./config/settings.js";
import { sortUsed } from "./config/sort-used.js";
import { urlOf } from "./config/url-of.js";
import { debugRequests } from "./logging/debug-requests.js";
import { loggedPath } from "./logging/logged-path.js";
import { openLogger } from "./logging/make-logger.js";
import { requestFacts } from "./logging/request-logger.js";
import { startSummary } from "./logging/start-summary.js";
import { checkBehindFaults } from "./parts/check-behind-faults.js";
import { openAuth } from "./parts/open-auth.js";
import { openDatabase } from "./parts/open-database.js";
import { openIdempotency } from "./parts/open-idempotency.js";
import { openModelRouter } from "./parts/open-model-router.js";
import { openUploads } from "./parts/open-uploads.js";
import { readSchema } from "./parts/read-schema.js";
import { composeErrorHandlers } from "./pipeline/compose-error-handlers.js";
import { joinFeatures } from "./pipeline/feature.js";
import { corsHandlers, globalSteps, handlersBeforeMatch, routeSteps } from "./pipeline/global-pipeline.js";
import { lastErrorHandler } from "./pipeline/last-error-handler.js";
import { warnOfProxies } from "./pipeline/warn-of-proxies.js";
import { openRedis } from "./redis/open-redis.js";
import { openShared } from "./redis/open-shared.js";
import { warnOfLostRevocations } from "./redis/warn-of-lost-revocations.js";
import { builtInPathFaults, builtInRouters } from "./routers/built-in-routers.js";
import { firstPage } from "./routers/first-page.js";
import { databaseCheck, redisCheck } from "./routers/health-router.js";
import { checkDocs, type DocsContext, makeOpenApi } from "./routers/open-docs.js";
import { openMcp } from "./routers/open-mcp.js";
import { yieldTo } from "./routers/yield-to.js";
import { keepContext } from "./service-context.js";

/** A service that was put together (contract C40). */
export interface Service {
  readonly app: Express;
  readonly server: Server;
  /**
   * Answers a request of the Fetch standard as the server would, whether it listens or not (contract C74): for hosts such
   * as Next, Hono or a function of a cloud, and for tests.
   *
   * @example
   * const response = await service.fetch(new Request("http://localhost/api/products?limit=3"));
   */
  readonly fetch: FetchHandler;
  /**
   * Serves the figures of `metrics.port`; `undefined` without one. `service.init` listens with it too, and whoever listens
   * himself does so with both. It ends with the service.
   */
  readonly metricsServer: Server | undefined;
  /** The configuration from all sources, with every default filled in. */
  readonly config: ServiceSettings;
  /** The database of the generated routes, for handlers of your own; `undefined` when none is configured. */
  readonly database: Database | undefined;
  readonly logger: Logger;
  /** Sends mails through the server of the `email` settings; without them, sending is refused with what is missing. */
  readonly mailer: Mailer;
  /**
   * Hashes a password as signing up does, for a seed or a program of yours.
   *
   * @throws {Error} where no authentication is configured
   */
  hashPassword(password: string): Promise<string>;
  /** The OpenAPI document of this service (contract C47), also where its documentation is not served. */
  openapi(): Promise<OpenApiDocument>;
  /**
   * Is not ready any more, goes on for the delay, stops accepting, lets running requests end, and disconnects from the
   * database. Called again it waits for the same end; without a delay it ends that of the first call.
   */
  close(times?: CloseTimes): Promise<void>;
}

/** How long the end of a service may take, in milliseconds. */
export interface CloseTimes {
  /** How long it goes on serving while it says that it is not ready, so that balancers look elsewhere. @default 0 */
  readonly delay?: number;
  /** How long running requests may take after that. @default `shutdown.drain` of the configuration */
  readonly drain?: number;
}

/**
 * Puts a service together without listening: for tests, and for hosts that listen themselves.
 *
 * @throws {StartError} with everything that is wrong with the configuration, the models and the declared routes
 */
export async function createService(init: ServiceInitConfig = {}, surroundings: Surroundings = {}): Promise<Service> {
  return assembleService(await readSettings(init, surroundings));
}

/** A service from settings that were read, by itself or as one of several workers. */
export async function assembleService(
  { settings, faults: known }: ReadSettings,
  worker?: WorkerLink,
): Promise<Service> {
  const faults = makeFaultList(known);
  const logger = await openLogger(settings, worker);
  for (const warning of settings.warnings) logger.warn(warning);
  const { models, modules } = await readSchema(settings, logger, faults);
  if (faults.all.length > 0) await checkBehindFaults(settings, { models, modules }, faults);
  faults.throwIfAny();
  const tracing = await openTracing({ name: "@servicekit/service", pathOf: loggedPath });
  const opened =
    settings.database === undefined
      ? undefined
      : await openDatabase(settings.database, models, settings, {
          logger,
          aroundStatement: tracing?.aroundStatement,
        });
  const { database } = opened ?? {};
  const plainMailer = makeMailer(settings.email);
  const mailer: Mailer =
    tracing === undefined
      ? plainMailer
      : { ...plainMailer, send: (mail) => tracing.aroundMail(() => plainMailer.send(mail)) };
  const redis =
    settings.redisUrl === undefined ? undefined : await openRedis(settings.redisUrl, logger, {}, tracing?.aroundRedis);
  const state = { isDraining: false, isStopping: false };
  const shared = await openShared(redis, worker);
  const auth = await faults.during(() =>
    openAuth({ settings, database, logger, mailer, shared, module: modules.auth }),
  );
  const idempotency = await faults.during(() => openIdempotency({ settings, database, redis, auth, logger }));
  const listening: { server?: Server } = {};
  const url = (): string => addressOf(listening.server, settings);
  const uploads = await faults.during(() =>
    openUploads(settings, {
      auth,
      module: modules.fileUpload,
      logger,
      url,
      aroundStorage: tracing?.aroundStorage,
    }),
  );
  const { metrics: figures } = settings;
  const metrics =
    figures &&
    (await faults.during(() =>
      openMetrics(figures, {
        poolState: opened?.poolState,
        passwords: auth && (() => auth.passwordLoad()),
        isRedisUp: redis && (() => redis.isUp()),
        workers: worker,
        overloads: () => shedding?.refused() ?? 0,
      }),
    ));
  const features = joinFeatures([
    metrics ?? {},
    tracing ?? {},
    { handlers: warnOfProxies(settings.trustProxy, logger) },
    { matched: debugRequests(settings.debugging.requests ?? {}, logger) },
    { release: () => database?.disconnect() },
    { release: () => redis?.close() },
    { release: () => mailer.close() },
    { release: () => auth?.close() },
    { release: () => idempotency?.close() },
  ]);
  const fail = async (): Promise<never> => {
    // What cannot be closed must not hide what is wrong.
    await Promise.allSettled(features.release());
    throw new StartError(faults.all);
  };
  if (uploads === undefined || faults.all.length > 0) return fail();
  const context = { settings, logger, makeStore: shared?.makeStore, auth, uploads, idempotency };

  const app = makeApp();
  // Handlers reach them as request.app.locals.mailer and so on.
  Object.assign(app.locals, { database, logger, mailer });
  keepContext(app, {
    logger,
    mailer,
    ...(opened === undefined ? {} : { database: opened.database, client: opened.client }),
  });
  app.set("trust proxy", settings.trustProxy ?? false);
  // A .env file may say it: Express's own error handler shows stacks unless it is production.
  app.set("env", settings.nodeEnv);
  await settings.configureApp?.(app);
  const used = sortUsed(settings.use);
  const lastHandler = lastErrorHandler(settings, logger, database);
  const errorHandlers = [...features.errorHandlers, ...used.errorHandlers, ...lastHandler];
  // Without a last handler of ours Express's own answers, and only Express can call that.
  const handleTimeout = lastHandler.length === 0 ? undefined : composeErrorHandlers(errorHandlers);
  let requestTime = settings.timeouts.request;
  const answerMs = (): number => requestTime;
  const { idle: idleMs, body: bodyMs } = settings.timeouts;
  const { bytesPerSecond } = settings;
  const routes = bindRoutes(app, {
    beforeMatch: [
      ...features.handlers,
      ...(await handlersBeforeMatch(context)),
      timeLimits({ answerMs, body: { idleMs, bodyMs, bytesPerSecond } }, handleTimeout),
    ],
    global: globalSteps(context),
    afterMatch: features.matched,
    route: routeSteps(context),
    maxUrlLength: settings.urlBytes,
  });
  const host = watchHost(app);
  const isForeign = makeIsForeign(routes.table(), host.isFromHost);
  // What is not ours stays as it came: its body unread, its answer without our headers.
  app.use((request, response, next) => (isForeign(request) ? next() : routes.match(request, response, next)));
  app.use(...settings.additionalMiddlewares, ...used.handlers, routes.afterUse);
  const shedding = openLoadShedding(settings.loadShedding, {
    table: routes.table(),
    pool: opened?.poolState,
    cors: await corsHandlers(settings.middlewares.cors),
    onRefusals: (refused) => logger.warn({ refused, ...settings.loadShedding }, "overloaded: requests are refused"),
  });
  const errorsOf = withOverload(routes.errorsOf, shedding);
  const { parametersOf } = routes;
  const { mountPath } = host;
  const docs: DocsContext = { settings, table: routes.table(), errorsOf, parametersOf, auth, logger, mountPath };
  const modelRouter = openModelRouter(settings, { database, models: modules.models, auth, logger, idempotency });
  const mcp = await faults.during(() => openMcp({ ...docs, modelRouter, database, server: () => listening.server }));
  const routers = await builtInRouters({
    ...docs,
    database,
    uploads,
    idempotency,
    modelRouter,
    checks: [
      ...(database === undefined ? [] : [databaseCheck(database, settings.root)]),
      ...(redis === undefined ? [] : [redisCheck(redis, auth?.needsRevocations === true)]),
    ],
    isDraining: () => state.isDraining,
  });
  for (const handler of firstPage(settings, "/api")) app.use(handler);
  app.use(
    joinRouters([
      ...routers.map((mounted) => yieldTo(used.routers, mounted)),
      ...(mcp === undefined ? [] : [["/api", mcp] as const]),
      ...features.routers.map((router) => ["/", router] as const),
    ]),
  );
  if (used.routers.length > 0) app.use(...used.routers);
  // The first page of a host is its own.
  for (const show of firstPage(settings, "/"))
    app.use((request, response, next) => (isForeign(request) ? next() : show(request, response, next)));
  const mayEnter = auth?.router === undefined ? () => true : auth.allows;
  app.use(makeNotFound(routes.table(), { isForeign, mayEnter }));
  for (const handler of errorHandlers) app.use(handler);
  await faults.during(() => routes.check());
  faults.addAll(builtInPathFaults(routes.table(), settings));
  await faults.during(() => checkDocs(routes.table(), settings));
  if (faults.all.length > 0) return fail();
  // Tests leave routers behind on purpose.
  for (const place of settings.nodeEnv === "test" ? [] : unmountedRoutes(app.router)) {
    logger.warn(
      `The router of ${place} is not mounted where the service can find it. Its routes answer 404 unless a handler of yours calls it, and they are not documented. Give it to use, or mount it in another router.`,
    );
  }
  if (auth === undefined && settings.nodeEnv === "production") logger.warn(everythingOpen);
  if (auth?.needsRevocations === true && settings.nodeEnv === "production") void warnOfLostRevocations(redis, logger);

  const server = makeServer(app, {
    requestTimeout: 0,
    headersTimeout: settings.timeouts.headers,
    gate: inSequence(() => connections.running, shedding && withinGate(shedding.gate)),
  });
  shedding?.watch(server);
  server.keepAliveTimeout = settings.timeouts.keepAlive;
  listening.server = server;
  const connections = watchConnections(server);
  server.once("listening", () => {
    const table = routes.table();
    const summary = startSummary({ settings, table, isAuthenticated: auth?.router !== undefined, url: url() });
    logger.info(summary, "listening");
    // "service dev" shows it.
    if (process.env.SERVICEKIT_DEV) process.send?.({ servicekit: "listening", ...summary });
  });
  watchAnswers(server, connections.running, { bytesPerSecond });
  await settings.configureServer?.(server);
  requestTime = readRequestTime(server, settings, logger);

  let closing: Promise<void> | undefined;
  const delayEnd = new AbortController();
  const close = async ({ delay = 0, drain = settings.shutdown.drain }: CloseTimes): Promise<void> => {
    state.isDraining = true;
    connections.endConnections();
    const { listening: wasListening } = server;
    if (wasListening) logger.info({ delayMs: delay, drainMs: drain, running: connections.count() }, "draining");
    if (wasListening && delay > 0) {
      await wait(Math.min(delay, longestTimer), undefined, delayEnd).catch(() => undefined);
    }
    state.isStopping = true;
    await connections.stop(drain, (request) => logger.warn(requestFacts(request as Request), cutAtDrain));
    await Promise.all(features.release());
    if (wasListening) logger.info("stopped");
  };
  return Object.freeze({
    app,
    server,
    fetch: makeFetch(
      () => server,
      () => state.isStopping,
    ),
    metricsServer: metrics?.server,
    config: settings,
    database,
    logger,
    mailer,
    hashPassword: async (password: string) => {
      if (auth === undefined)
        throw new Error("No authentication is configured: there is nothing to hash passwords with.");
      return auth.hashPassword(password);
    },
    openapi: () => makeOpenApi(docs),
    close: (times: CloseTimes = {}) => {
      if (closing !== undefined && !times.delay) delayEnd.abort();
      closing ??= close(times);
      return closing;
    },
  });
}

const cutAtDrain = "a running request was cut: it did not end within shutdown.drain";

const everythingOpen =
  "no authentication is configured: every route is open to everyone. Give a block authentication, or { enabled: false } to say that it is on purpose.";

/** Where the service is reached: the port that it listens at, or the configured one before that. */
function addressOf(server: Server | undefined, { host, port }: ServiceSettings): string {
  const address = server?.address() as AddressInfo | null | undefined;
  return urlOf(host, address?.port ?? port);
}
