import { httpErrors, StartupError } from "@servicekit/core";
import type { Express, NextFunction, Request, RequestHandler, Response } from "express";
import { type DeclaredRoute, declaredValue } from "../declaration/declared-route.js";
import type { DocumentedError, DocumentObject } from "../declaration/route-documentation.js";
import { composeHandlers } from "../pipeline/compose-handlers.js";
import {
  bindPipeline,
  enterPipeline,
  type MatchState,
  matchState,
  type Pipeline,
  type RouteMatch,
  setMatchState,
} from "../pipeline/request-match.js";
import { type RouteStep, stepErrors, stepHandlers, stepParameters } from "../pipeline/route-step.js";
import { type PathParams, requestPath } from "../request/request-path.js";
import { issuesOfRoute, routeError, routeIssues } from "../routers/check-routes.js";
import { checkAccept } from "../steps/check-accept.js";
import { type FoundRoute, makeRouteTable, type RouteTable } from "../table/route-table.js";

/**
 * The steps of an application. A step in both lists decides something about the declared route that must precede a
 * later global step, such as authentication before the body is read (contract C58): it runs at the match for the route
 * matched first, and on entering for any other that the request reaches.
 */
export interface RoutePipeline {
  /** Run once per request: before the match, or before a declared route that the request reaches earlier. */
  readonly beforeMatch?: readonly RequestHandler[];
  /** Run once per request, with the values of the first matched route or the global settings. */
  readonly global: readonly RouteStep[];
  /** Run once per request, after the global steps. */
  readonly afterMatch?: readonly RequestHandler[];
  /** Run on entering a declared route, before its handlers. */
  readonly route: readonly RouteStep[];
  /** Declaration keys that are used without a step. */
  readonly servedElsewhere?: readonly string[];
  /** Maximum URL length in bytes (contract C20). @default 8192 */
  readonly maxUrlLength?: number;
}

/** The handlers that an application mounts to match its routes first. */
export interface BoundRoutes {
  /** Finds the route of a request and runs the global steps: mount it before the first handler that needs them. */
  readonly match: RequestHandler;
  /** Matches again if a handler has rewritten the URL, and handles OPTIONS: mount it before the routers. */
  readonly afterUse: RequestHandler;
  /** All routes of the application. */
  table(): RouteTable;
  /** The errors that the steps of a route can return, for the API documentation (contract C47). */
  errorsOf(route: DeclaredRoute): readonly DocumentedError[];
  /** The parameters that the steps of a route read from headers, for the API documentation (contract C47). */
  parametersOf(route: DeclaredRoute): readonly DocumentObject[];
  /** @throws {StartupError} with the issues of every declared route; call it when all routers are mounted */
  check(): void;
}

/**
 * Binds the declared routes of an application to the steps that serve their keys. Two applications share nothing:
 * everything that is created for a route is stored here.
 */
export function bindRoutes(app: Express, stepLists: RoutePipeline): BoundRoutes {
  const { beforeMatch = [], global, afterMatch = [], route: routeStepList } = stepLists;
  const { servedElsewhere, maxUrlLength = 8192 } = stepLists;
  const table = makeRouteTable(app.router);
  const shared = global.filter((step) => routeStepList.includes(step));
  const steps = [...new Set([...global, ...routeStepList])];
  const find = (path: string | undefined, method = "GET"): FoundRoute | undefined =>
    path === undefined ? undefined : table.find(method, path);

  const checked = new WeakSet<DeclaredRoute>();
  /** Rejects every request of an invalid route that was added after startup, or that startup could not find. */
  const rejectInvalid = cachedPerRoute((route: DeclaredRoute): readonly RequestHandler[] => {
    const issues = checked.has(route) ? [] : issuesOfRoute(route, steps, servedElsewhere);
    return issues.length === 0 ? [] : [(_request, _response, next) => next(routeError(issues))];
  });
  const unmatched = composeHandlers(stepHandlers(global, undefined));
  const globalSteps = cachedPerRoute((route: DeclaredRoute) =>
    composeHandlers([...rejectInvalid(route), ...stepHandlers(global, route), ...checkAccept(route), settle(route)]),
  );
  const routeSteps = cachedPerRoute((route: DeclaredRoute) => {
    const later = routeStepList.filter((step) => !shared.includes(step));
    return composeHandlers(stepHandlers(later, route));
  });
  /** The global steps of one route for a request that has already passed those of another. */
  const changedSteps = cachedPerRoute((route: object) =>
    cachedPerRoute((applied: object) => {
      const changed = global.filter(
        (step) => shared.includes(step) || stepValue(route, step.key) !== stepValue(applied, step.key),
      );
      const handlers = stepHandlers(changed, isRouted(route) ? route : undefined);
      return composeHandlers(
        isRouted(route) ? [...rejectInvalid(route), ...handlers, ...checkAccept(route), settle(route)] : handlers,
      );
    }),
  );
  const changeSteps = (state: MatchState, request: Request, response: Response, next: NextFunction): unknown => {
    const { applied } = state;
    const { route } = state.match;
    state.applied = route;
    return changedSteps(route ?? unrouted)(applied ?? unrouted)(request, response, next);
  };
  const templateOf = cachedPerRoute(
    (route: DeclaredRoute) => table.entries.find((entry) => entry.route === route)?.path ?? route.path,
  );
  const matchTo = (route: DeclaredRoute, { params }: Request): RouteMatch => ({
    ...{ route, template: templateOf(route), params: params as PathParams },
  });

  const checkUrl: RequestHandler = ({ url }, _response, next) =>
    next(
      url.length > maxUrlLength ? httpErrors.UriTooLong(`The URL is longer than ${maxUrlLength} bytes.`) : undefined,
    );
  /** For a route before the match, or one that a request reaches without it. */
  const allSteps = cachedPerRoute((route: DeclaredRoute) =>
    composeHandlers([
      ...beforeMatch,
      checkUrl,
      (request, response, next) => {
        setMatchState(request, {
          ...{ match: matchTo(route, request), path: undefined, method: undefined },
          ...{ applied: route, settled: undefined, queryReader: undefined, pipeline },
        });
        return globalSteps(route)(request, response, next);
      },
      ...afterMatch,
      routeSteps(route),
    ]),
  );
  const pipeline: Pipeline = Object.freeze<Pipeline>({
    enter(route, request, response, next) {
      const state = matchState(request);
      if (state === undefined) return allSteps(route)(request, response, next);
      // After next("route"), a rewritten URL or a router outside the table.
      if (state.match.route !== route) state.match = matchTo(route, request);
      if (state.settled === route) return routeSteps(route)(request, response, next);
      return changeSteps(state, request, response, (error?: unknown) =>
        error ? next(error) : routeSteps(route)(request, response, next),
      );
    },
  });
  bindPipeline(app, pipeline);

  const matchFirst: RequestHandler = (request, response, next) => {
    const { method } = request;
    const path = requestPath(request);
    const found = find(path, method);
    setMatchState(request, {
      ...{ match: found ?? {}, path, method },
      ...{ applied: found?.route, settled: undefined, queryReader: undefined, pipeline },
    });
    const run = found?.route === undefined ? unmatched : globalSteps(found.route);
    return run(request, response, next);
  };
  const begin = composeHandlers([...beforeMatch, checkUrl, matchFirst, ...afterMatch]);

  return Object.freeze({
    match: function match(request, response, next) {
      enterPipeline(request, pipeline);
      const state = matchState(request);
      if (state === undefined) return begin(request, response, next);
      // It comes from a declared route before the match, which has called next.
      const { method } = request;
      const path = requestPath(request);
      const again: MatchState = { ...state, match: find(path, method) ?? {}, path, method };
      setMatchState(request, again);
      return changeSteps(again, request, response, next);
    },
    afterUse: function afterUse(request, response, next) {
      const path = requestPath(request);
      if (request.method === "OPTIONS" && path !== undefined) {
        const methods = table.methodsAt(path);
        if (methods.length > 0 && !methods.includes("OPTIONS") && !methods.includes("*")) {
          response.writeHead(204, { allow: allowHeader(methods) }).end();
          return;
        }
      }
      const state = matchState(request);
      if (state === undefined || (state.path === path && state.method === request.method)) return next();
      const before = state.match.route;
      state.path = path;
      state.method = request.method;
      state.match = find(path, state.method) ?? {};
      const { route } = state.match;
      if (route === undefined || route === before) return next();
      return changeSteps(state, request, response, next);
    },
    table: () => table,
    errorsOf: (route) => stepErrors(steps, route),
    parametersOf: (route) => stepParameters(steps, route),
    check() {
      const issues = routeIssues(app.router, steps, servedElsewhere);
      if (issues.length > 0) throw new StartupError(issues);
      for (const { route } of table.entries) if (route !== undefined) checked.add(route);
    },
  } satisfies BoundRoutes);
}

/** The value of the `Allow` header (RFC 9110, section 10.2.1). */
export function allowHeader(methods: readonly string[]): string {
  return methods.join(", ");
}

/**
 * Records that a request has passed the global steps: never before, because an error handler may revert a rejection.
 */
function settle(route: DeclaredRoute): RequestHandler {
  return function settle(request, _response, next) {
    const state = matchState(request);
    if (state !== undefined) state.settled = route;
    next();
  };
}

/** The key of the global settings where steps are stored per route. */
const unrouted: object = Object.freeze({});
const isRouted = (route: object): route is DeclaredRoute => route !== unrouted;

/** The values that decide how a global step runs on a route. */
function stepValue(route: object, key: string): unknown {
  if (!isRouted(route)) return undefined;
  return declaredValue(route.config, key) ?? (key === "rateLimit" ? route.origin.rateLimit : undefined);
}

/** The handlers of a route, created at its first request. */
function cachedPerRoute<Route extends object, Made>(make: (route: Route) => Made): (route: Route) => Made {
  const stored = new WeakMap<Route, { readonly made: Made }>();
  return (route) => {
    let entry = stored.get(route);
    if (entry === undefined) {
      entry = { made: make(route) };
      stored.set(route, entry);
    }
    return entry.made;
  };
}
