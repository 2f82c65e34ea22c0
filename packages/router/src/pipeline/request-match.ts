import type { IncomingMessage } from "node:http";
import type { ExpectedValue } from "@servicekit/query-parser";
import type { NextFunction, Request, Response } from "express";
import type { DeclaredRoute } from "../declaration/declared-route.js";
import type { PathParams } from "../request/request-path.js";

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
  /** The route with whose values the global steps ran last; `undefined` for the global settings. */
  applied: DeclaredRoute | undefined;
  /** The route whose global steps have let the request pass. */
  settled: DeclaredRoute | undefined;
  /** How the query was read, and for which route's schema. */
  queryReader: { readonly readQuery: ReadQuery; readonly route: DeclaredRoute | undefined } | undefined;
  /** The application that matched the request. */
  readonly pipeline: Pipeline;
}

/** What a bound application does before the handlers of a declared route. */
export interface Pipeline {
  /** Runs the steps of the route that the request does not have behind it. */
  enter(route: DeclaredRoute, request: Request, response: Response, next: NextFunction): unknown;
}

/** Reads the query of a request again, as what a schema expects. */
export type ReadQuery = (request: IncomingMessage, expected: ExpectedValue | undefined) => unknown;

const stateKey = Symbol("servicekit.match");
const pipelineKey = Symbol("servicekit.pipeline");

type Stateful = IncomingMessage & { [stateKey]?: MatchState | undefined; [pipelineKey]?: Pipeline | undefined };

/** The state of a request in the bound application that it is in; `undefined` before the match and outside of one. */
export function matchState(request: IncomingMessage): MatchState | undefined {
  const { [stateKey]: state, [pipelineKey]: pipeline } = request as Stateful;
  return state?.pipeline === pipeline ? state : undefined;
}

export function setMatchState(request: IncomingMessage, state: MatchState): void {
  (request as Stateful)[stateKey] = state;
}

/** The innermost bound application that a request is in. */
export function pipelineOf(request: IncomingMessage): Pipeline | undefined {
  return (request as Stateful)[pipelineKey];
}

/**
 * Notes the application that a request is in.
 *
 * @param next leaves the application, where another one is around it
 * @returns `next`, which first puts the request back into that other application
 */
export function enterPipeline(
  request: IncomingMessage,
  pipeline: Pipeline,
  next: ((error?: unknown) => void) | undefined,
): ((error?: unknown) => void) | undefined {
  const stateful = request as Stateful;
  const { [stateKey]: state, [pipelineKey]: outer } = stateful;
  stateful[pipelineKey] = pipeline;
  if (next === undefined) return undefined;
  return (error) => {
    stateful[pipelineKey] = outer;
    // The last match stays for logs where no application is around this one.
    if (state !== undefined) stateful[stateKey] = state;
    next(error);
  };
}

/**
 * What a request reached: the declared route, its path template and parameters, for logs and metrics; `undefined` before the match
 * and in an application without `bindRoutes`.
 */
export function matchOf(request: IncomingMessage): RouteMatch | undefined {
  return (request as Stateful)[stateKey]?.match;
}
