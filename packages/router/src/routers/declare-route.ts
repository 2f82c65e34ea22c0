import type { IRouter, RequestHandler } from "express";
import { callerPlace } from "../declaration/declaration-place.js";
import type { DeclaredRoute, RouteMethod, RouteOrigin } from "../declaration/declared-route.js";
import type { RouteConfig } from "../declaration/route-config.js";
import { composeHandlers } from "../pipeline/compose-handlers.js";
import { pipelineOf } from "../pipeline/request-match.js";
import { noteDeclared } from "../table/express-layers.js";
import { withPattern } from "../table/express-pattern.js";
import { faultsOfRoute, routeError } from "./check-routes.js";
import { makeDefaultSteps, makeStandaloneSteps } from "./standalone-steps.js";

/** What {@link declareRoute} needs to know of a route. */
export interface RouteInput {
  /** In either letter case. */
  readonly method: RouteMethod | Uppercase<RouteMethod>;
  readonly config: RouteConfig;
  readonly handlers: readonly (RequestHandler | readonly RequestHandler[])[];
  /** @default the place of the call */
  readonly origin?: RouteOrigin;
}

/**
 * Registers a declared route on a router and returns it as a value; `undefined` when it is disabled. The verbs of
 * `ServiceRouter` call this, and so does whoever generates routes. The declaration is checked at start, with all others.
 *
 * @throws {TypeError} when there is no path or no handler
 * @throws {StartError} when Express cannot read the path
 */
export function declareRoute(router: IRouter, input: RouteInput): DeclaredRoute | undefined {
  const { config } = input;
  if (config.disabled === true) return undefined;
  const handlers = (input.handlers as readonly unknown[]).flat(Number.POSITIVE_INFINITY) as RequestHandler[];
  const method = input.method.toLowerCase() as RouteMethod;
  if (typeof config.path !== "string") throw new TypeError(`A declaration of ${method.toUpperCase()} has no path.`);
  if (handlers.length === 0) throw new TypeError(`The route ${method.toUpperCase()} ${config.path} has no handler.`);
  const route: DeclaredRoute = Object.freeze({
    method: method.toUpperCase(),
    path: config.path,
    config: Object.freeze({ ...config }),
    handlers: Object.freeze(handlers),
    origin: Object.freeze(input.origin ?? { place: callerPlace(declareRoute) }),
  });
  const { origin } = route;
  const registered = withPattern(config.path, `${route.method} ${config.path}`, origin.place, () =>
    router.route(config.path),
  );
  noteDeclared(router, route);
  registered[method](enterRoute(route), ...handlers);
  return route;
}

/** All steps of a route in plain Express; a route that declares what these do not serve refuses every request. */
function stepsOutside(route: DeclaredRoute): RequestHandler {
  const faults = faultsOfRoute(route, makeDefaultSteps());
  if (faults.length === 0) return composeHandlers(makeStandaloneSteps(route));
  return (_request, _response, next) => next(routeError(faults));
}

/** The first handler of every declared route: the steps of the application, or all steps where none is bound. */
function enterRoute(route: DeclaredRoute): RequestHandler {
  let alone: RequestHandler | undefined;
  return function enterRoute(request, response, next) {
    const pipeline = pipelineOf(request);
    if (pipeline === undefined) {
      alone ??= stepsOutside(route);
      return alone(request, response, next);
    }
    return pipeline.enter(route, request, response, next);
  };
}
