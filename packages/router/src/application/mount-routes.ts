import type { Express } from "express";
import { type BoundRoutes, bindRoutes, type RoutePipeline } from "./bind-routes.js";
import { type ErrorHandlerSettings, makeErrorHandler } from "./error-handler.js";
import { watchHost } from "./host-requests.js";
import { makeIsForeignRouter, makeNotFound } from "./not-found.js";

/** The parts of an application, in the order of a request. */
export interface MountedRoutes extends RoutePipeline, ErrorHandlerSettings {
  /** Mounts handlers after the match and before every router: the matched route is available to them, and they may rewrite the URL. */
  readonly before?: (app: Express) => void;
  /** Mounts the routers. */
  readonly mount: (app: Express, routes: BoundRoutes) => void;
}

/**
 * Mounts all parts of an application: the match with its global steps, the handlers before the routers, the routers,
 * 404 and 405, and the error handler. Inside another application it passes on unmatched requests. Use `bindRoutes` for
 * another order.
 *
 * @throws {StartupError} with the issues of every declared route
 */
export function mountRoutes(app: Express, parts: MountedRoutes): BoundRoutes {
  const { before, mount } = parts;
  const routes = bindRoutes(app, parts);
  const isForeign = makeIsForeignRouter(routes.table(), watchHost(app).isFromHost);
  app.use((request, response, next) => (isForeign(request) ? next() : routes.match(request, response, next)));
  before?.(app);
  app.use(routes.afterUse);
  mount(app, routes);
  app.use(makeNotFound(routes.table(), { isForeign }), makeErrorHandler(parts));
  routes.check();
  return routes;
}
