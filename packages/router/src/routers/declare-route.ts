import { describeFound } from "@servicekit/core/schema";
import type { IRouter, RequestHandler } from "express";
import { callerPlace } from "../declaration/declaration-place.js";
import type { DeclaredRoute, RouteMethod, RouteOrigin } from "../declaration/declared-route.js";
import type { RouteConfig } from "../declaration/route-config.js";
import { composeHandlers } from "../pipeline/compose-handlers.js";
import { pipelineOf } from "../pipeline/request-match.js";
import { noteDeclared } from "../table/express-layers.js";
import { withPattern } from "../table/express-pattern.js";
import { checkHandlers } from "./check-handlers.js";
import { issuesOfRoute, routeError } from "./check-routes.js";
import { makeDefaultSteps, makeStandaloneSteps } from "./standalone-steps.js";

/** The properties of a route for {@link declareRoute}. */
export interface RouteInput {
  /** In any case. */
  readonly method: RouteMethod | Uppercase<RouteMethod>;
  readonly config: RouteConfig;
  readonly handlers: readonly (RequestHandler | readonly RequestHandler[])[];
  /** @default the place of the call */
  readonly origin?: RouteOrigin;
}

/**
 * Registers a declared route on a router and returns it as a value; `undefined` if it is disabled. The verbs of
 * `ServiceRouter` and the generated routes use it. The declaration is checked at startup, with all others.
 *
 * @throws {TypeError} without a path or a handler
 * @throws {StartupError} if Express cannot parse the path
 */
export function declareRoute(router: IRouter, input: RouteInput): DeclaredRoute | undefined {
  const { config } = input;
  if (config.disabled === true) return undefined;
  const handlers = (input.handlers as readonly unknown[]).flat(Number.POSITIVE_INFINITY) as RequestHandler[];
  const method = input.method.toLowerCase() as RouteMethod;
  const origin = Object.freeze(input.origin ?? { place: callerPlace(declareRoute) });
  const verb = method.toUpperCase();
  if (typeof config.path !== "string") {
    const found = describeFound(config.path);
    throw new TypeError(`${verb} (${origin.place}): path: found ${found}, expected a string.`);
  }
  if (handlers.length === 0) throw new TypeError(`The route ${verb} ${config.path} has no handler.`);
  checkHandlers(handlers, `${verb} ${config.path} (${origin.place})`);
  const route: DeclaredRoute = Object.freeze({
    method: verb,
    path: config.path,
    config: Object.freeze({ ...config }),
    handlers: Object.freeze(handlers),
    origin,
  });
  const registered = withPattern(config.path, `${route.method} ${config.path}`, origin.place, () =>
    router.route(config.path),
  );
  noteDeclared(router, route);
  registered[method](enterRoute(route), ...handlers);
  return route;
}

/** All steps of a route in plain Express; a route with keys that these do not serve rejects every request. */
function stepsOutside(route: DeclaredRoute): RequestHandler {
  const issues = issuesOfRoute(route, makeDefaultSteps());
  if (issues.length === 0) return composeHandlers(makeStandaloneSteps(route));
  return (_request, _response, next) => next(routeError(issues));
}

/** The first handler of every declared route: the steps of the application, or all steps without `bindRoutes`. */
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
