import { readDatabase } from "@servicekit/prisma/internal";
import type { BoundRoutes } from "@servicekit/router";
import { bindRoutes, type IsForeignRouter, makeIsForeignRouter, watchHost } from "@servicekit/router/internal";
import { timeLimits } from "@servicekit/server/internal";
import type { ErrorRequestHandler } from "express";
import { setProxyTrust } from "../config/proxy-trust.js";
import { requestTime } from "../config/request-time.js";
import { sortUsed, type Used } from "../config/sort-used.js";
import { composeErrorHandlers } from "../pipeline/compose-error-handlers.js";
import { globalSteps, handlersBeforeMatch, routeSteps } from "../pipeline/global-pipeline.js";
import { lastErrorHandler } from "../pipeline/last-error-handler.js";
import { cacheContext } from "../service-context.js";
import type { OpenedService } from "./open-resources.js";

/** A service after the second phase: the application finds the route of a request and runs the global steps. */
export interface BoundService extends OpenedService {
  readonly routes: BoundRoutes;
  readonly used: Used;
  /** In the order in which Express calls them; the phase that mounts the routers mounts them last. */
  readonly errorHandlers: readonly ErrorRequestHandler[];
  /** Whether no route of the service takes the request, in another application that mounts the service. */
  readonly isForeign: IsForeignRouter;
  /** The path at which another application mounts the service; empty without one. */
  readonly mountPath: () => string;
}

/** Configures the application and mounts the steps that run before the routers. */
export async function bindServiceRoutes(service: OpenedService): Promise<BoundService> {
  const { settings, logger, app, server, opened, mailer, background, shared, auth, uploads, idempotency, features } =
    service;
  const { database } = opened ?? {};
  // Handlers read them as request.app.locals.mailer and so on.
  Object.assign(app.locals, { database, logger, mailer, jobs: background.jobs });
  const { jobs } = background;
  cacheContext(app, {
    ...{ logger, mailer, jobs },
    ...(opened === undefined
      ? {}
      : {
          database: opened.database,
          client: opened.client,
          read: readDatabase(opened.database, opened.replicas?.withClient),
        }),
  });
  setProxyTrust(app, settings.trustProxy);
  // NODE_ENV may be set in a .env file: Express's own error handler shows stacks unless it is production.
  app.set("env", settings.nodeEnv);
  await settings.configureApp?.(app);

  const used = sortUsed(settings.use);
  const lastHandler = lastErrorHandler(settings, logger, database);
  const errorHandlers = [...features.errorHandlers, ...used.errorHandlers, ...lastHandler];
  // Without our last handler Express's own responds, and only Express can call that one.
  const handleTimeout = lastHandler.length === 0 ? undefined : composeErrorHandlers(errorHandlers);
  const hasReplicas = opened?.replicas !== undefined;
  const context = { settings, logger, makeStore: shared?.makeStore, auth, uploads, idempotency, hasReplicas };
  const { bytesPerSecond, timeouts } = settings;
  const body = { idleMs: timeouts.idle, bodyMs: timeouts.body, bytesPerSecond };
  const routes = bindRoutes(app, {
    beforeMatch: [
      ...features.handlers,
      ...(await handlersBeforeMatch(context)),
      timeLimits({ responseMs: () => requestTime(server, settings), body }, handleTimeout),
    ],
    global: globalSteps(context),
    afterMatch: features.matched,
    route: routeSteps(context),
    maxUrlLength: settings.urlBytes,
  });
  const host = watchHost(app);
  const isForeign = makeIsForeignRouter(routes.table(), host.isFromHost);
  // A foreign request passes unchanged: its body is not read and its response has none of our headers.
  app.use((request, response, next) => (isForeign(request) ? next() : routes.match(request, response, next)));
  app.use(...settings.additionalMiddlewares, ...used.handlers, routes.afterUse);
  return { ...service, routes, used, errorHandlers, isForeign, mountPath: host.mountPath };
}
