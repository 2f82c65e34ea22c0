import type { IncomingMessage } from "node:http";
import type { ExpectedValue } from "@servicekit/query-parser";
import type { RequestHandler } from "express";
import type { DeclaredRoute } from "./declaration/declared-route.js";
import type { BehindRoutes, ClearWay, LeftRoute } from "./direct-dispatch.js";
import type { PathParams } from "./request-path.js";

/** What a request reached. */
export interface RouteMatch {
  /** The declared route, when it is one. */
  readonly route?: DeclaredRoute;
  /** The whole path as declared, with the prefixes of the routers above: `/api/users/:id`. */
  readonly template?: string;
  /** The parameters of the path as the route's handlers get them: decoded, wildcards as lists. */
  readonly params?: PathParams;
}

/** What a bound application keeps on each of its requests. */
export interface MatchState {
  match: RouteMatch;
  /** The path and the method that were looked up. */
  path: string | undefined;
  method: string | undefined;
  /** The way to the route that was found, where nothing stands on it, and the URL for which it was. */
  readonly way: ClearWay | undefined;
  readonly url: string;
  /** The handler behind all routes, where no route was found and nothing stands on the way to it. */
  readonly end: BehindRoutes | undefined;
  /** What became of the request in a route that it was handed to directly, until Express gets there. */
  left: LeftRoute | undefined;
  /** The route whose shared steps have run already (contract C58). */
  settled: DeclaredRoute | undefined;
  /** How the query was read, and for which route's schema. */
  queryReader: { readonly readQuery: ReadQuery; readonly route: DeclaredRoute | undefined } | undefined;
  /** The route steps that are still to run, made for one route and kept. */
  readonly routeSteps: (route: DeclaredRoute, isSettled: boolean) => RequestHandler;
  /** The whole path of a route that was not matched first. */
  readonly templateOf: (route: DeclaredRoute) => string;
}

/** Reads the query of a request again, as what a schema expects. */
export type ReadQuery = (request: IncomingMessage, expected: ExpectedValue | undefined) => unknown;

const stateKey = Symbol("servicekit.match");

type Stateful = IncomingMessage & { [stateKey]?: MatchState };

export function matchState(request: IncomingMessage): MatchState | undefined {
  return (request as Stateful)[stateKey];
}

export function setMatchState(request: IncomingMessage, state: MatchState): void {
  (request as Stateful)[stateKey] = state;
}

/**
 * What a request reached: the declared route, its path template and parameters, for logs and metrics; `undefined` before the match
 * and in an application without `bindRoutes`.
 */
export function matchOf(request: IncomingMessage): RouteMatch | undefined {
  return (request as Stateful)[stateKey]?.match;
}
