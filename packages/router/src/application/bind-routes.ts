import type { IncomingMessage, ServerResponse } from "node:http";
import { httpErrors, StartError } from "@servicekit/core";
import type { Express, NextFunction, Request, RequestHandler, Response } from "express";
import { type DeclaredRoute, declaredValue } from "../declaration/declared-route.js";
import type { DocumentedError, DocumentObject } from "../declaration/route-documentation.js";
import { composeHandlers } from "../pipeline/compose-handlers.js";
import {
  enterPipeline,
  type MatchState,
  matchState,
  type Pipeline,
  type RouteMatch,
  setMatchState,
} from "../pipeline/request-match.js";
import { type RouteStep, stepErrors, stepHandlers, stepParameters } from "../pipeline/route-step.js";
import { type PathParams, requestPath } from "../request/request-path.js";
import { faultsOfRoute, routeError, routeFaults } from "../routers/check-routes.js";
import { checkAccept } from "../steps/check-accept.js";
import { type FoundRoute, makeRouteTable, type RouteTable } from "../table/route-table.js";

/**
 * The steps of an application. A step that stands in both lists decides something of the declared route that must be
 * settled before a later global step runs, such as who the caller is before the body is read (contract C58): it runs at
 * the match for the route matched first, and on entering for any other that the request gets to.
 */
export interface RoutePipeline {
  /** Run once for each request: before the match, or before a declared route that the request reaches earlier. */
  readonly beforeMatch?: readonly RequestHandler[];
  /** Run once for each request, with the values of the first matched route or the global settings. */
  readonly global: readonly RouteStep[];
  /** Run once for each request, behind the global steps. */
  readonly afterMatch?: readonly RequestHandler[];
  /** Run on entering a declared route, before its handlers. */
  readonly route: readonly RouteStep[];
  /** Declaration keys that something else than a step reads. */
  readonly servedElsewhere?: readonly string[];
  /** The longest URL in bytes (contract C20). @default 8192 */
  readonly maxUrlLength?: number;
}

/** What an application mounts to have its routes matched first. */
export interface BoundRoutes {
  /** Finds the route of a request and runs the global steps: mount it before the first handler that needs them. */
  readonly match: RequestHandler;
  /** Matches again where a handler has rewritten the URL, and answers OPTIONS: mount it before the routers. */
  readonly afterUse: RequestHandler;
  /** All routes of the application. */
  table(): RouteTable;
  /** The errors that the steps of a route say they can answer, for the API documentation (contract C47). */
  errorsOf(route: DeclaredRoute): readonly DocumentedError[];
  /** The parameters that the steps of a route read from headers, for the API documentation (contract C47). */
  parametersOf(route: DeclaredRoute): readonly DocumentObject[];
  /** @throws {StartError} with the faults of every declared route; call it when all routers are mounted */
  check(): void;
}

/**
 * Binds the declared routes of an application to the steps that serve their keys. Nothing is shared between two
 * applications: what is made for a route is kept here.
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
  /** Refuses every request of a route with faults that was added after the start, or that the start could not find. */
  const refuseFaults = keptPerRoute((route: DeclaredRoute): readonly RequestHandler[] => {
    const faults = checked.has(route) ? [] : faultsOfRoute(route, steps, servedElsewhere);
    return faults.length === 0 ? [] : [(_request, _response, next) => next(routeError(faults))];
  });
  const unmatched = composeHandlers(stepHandlers(global, undefined));
  const globalSteps = keptPerRoute((route: DeclaredRoute) =>
    composeHandlers([...refuseFaults(route), ...stepHandlers(global, route), ...checkAccept(route), settle(route)]),
  );
  const routeSteps = keptPerRoute((route: DeclaredRoute) => {
    const later = routeStepList.filter((step) => !shared.includes(step));
    return composeHandlers(stepHandlers(later, route));
  });
  /** The global steps of one route for a request that has those of another behind it. */
  const changedSteps = keptPerRoute((route: object) =>
    keptPerRoute((applied: object) => {
      const changed = global.filter(
        (step) => shared.includes(step) || stepValue(route, step.key) !== stepValue(applied, step.key),
      );
      const handlers = stepHandlers(changed, isRouted(route) ? route : undefined);
      return composeHandlers(
        isRouted(route) ? [...refuseFaults(route), ...handlers, ...checkAccept(route), settle(route)] : handlers,
      );
    }),
  );
  const changeSteps = (state: MatchState, request: Request, response: Response, next: NextFunction): unknown => {
    const { applied } = state;
    const { route } = state.match;
    state.applied = route;
    return changedSteps(route ?? unrouted)(applied ?? unrouted)(request, response, next);
  };
  const templateOf = keptPerRoute(
    (route: DeclaredRoute) => table.entries.find((entry) => entry.route === route)?.path ?? route.path,
  );
  const matchTo = (route: DeclaredRoute, { params }: Request): RouteMatch => ({
    ...{ route, template: templateOf(route), params: params as PathParams },
  });

  const checkUrl: RequestHandler = ({ url }, _response, next) =>
    next(
      url.length > maxUrlLength ? httpErrors.UriTooLong(`The URL is longer than ${maxUrlLength} bytes.`) : undefined,
    );
  /** For a route that stands before the match, or that a request reaches without it. */
  const allSteps = keptPerRoute((route: DeclaredRoute) =>
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
      // After next("route"), a rewritten URL or a router that the table does not see.
      if (state.match.route !== route) state.match = matchTo(route, request);
      if (state.settled === route) return routeSteps(route)(request, response, next);
      return changeSteps(state, request, response, (error?: unknown) =>
        error ? next(error) : routeSteps(route)(request, response, next),
      );
    },
  });
  const { handle } = app as unknown as { handle: Handle };
  Object.assign(app, {
    handle: ((request, response, next) =>
      handle.call(app, request, response, enterPipeline(request, pipeline, next))) satisfies Handle,
  });

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
      const state = matchState(request);
      if (state === undefined) return begin(request, response, next);
      // It comes from a declared route before the match, which has handed it on.
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
      const faults = routeFaults(app.router, steps, servedElsewhere);
      if (faults.length > 0) throw new StartError(faults);
      for (const { route } of table.entries) if (route !== undefined) checked.add(route);
    },
  } satisfies BoundRoutes);
}

/** The value of the `Allow` header (RFC 9110, section 10.2.1). */
export function allowHeader(methods: readonly string[]): string {
  return methods.join(", ");
}

type Handle = (request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void) => void;

/** Notes that the global steps have let a request pass: never before, since an error handler may take a refusal back. */
function settle(route: DeclaredRoute): RequestHandler {
  return function settle(request, _response, next) {
    const state = matchState(request);
    if (state !== undefined) state.settled = route;
    next();
  };
}

/** Stands for the global settings where steps are kept per route. */
const unrouted: object = Object.freeze({});
const isRouted = (route: object): route is DeclaredRoute => route !== unrouted;

/** What decides how a global step runs on a route. */
function stepValue(route: object, key: string): unknown {
  if (!isRouted(route)) return undefined;
  return declaredValue(route.config, key) ?? (key === "rateLimit" ? route.origin.rateLimit : undefined);
}

/** What is made once for each route, at its first request. */
function keptPerRoute<Route extends object, Made>(make: (route: Route) => Made): (route: Route) => Made {
  const kept = new WeakMap<Route, { readonly made: Made }>();
  return (route) => {
    let entry = kept.get(route);
    if (entry === undefined) {
      entry = { made: make(route) };
      kept.set(route, entry);
    }
    return entry.made;
  };
}
