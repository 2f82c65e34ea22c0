import type { IncomingMessage } from "node:http";
import type { ExpectedValue } from "@servicekit/query-parser";
import type { Express, NextFunction, Request, RequestHandler, Response } from "express";
import type { DeclaredRoute } from "../declaration/declared-route.js";
import type { PathParams } from "../request/request-path.js";

/** The match of a request. */
export interface RouteMatch {
  /** The declared route, if it is one. */
  readonly route?: DeclaredRoute;
  /** The full path as declared, with the prefixes of its routers: `/api/users/:id`. */
  readonly template?: string;
  /** The path parameters as the route's handlers get them: decoded, wildcards as lists. */
  readonly params?: PathParams;
}

/** The state of a request in a bound application. */
export interface MatchState {
  match: RouteMatch;
  /** The path and the method of the lookup. */
  path: string | undefined;
  method: string | undefined;
  /** The route with whose values the global steps ran last; `undefined` for the global settings. */
  applied: DeclaredRoute | undefined;
  /** The route whose global steps the request has passed. */
  settled: DeclaredRoute | undefined;
  /** The parser of the query, and the route whose schema it used. */
  queryReader: { readonly readQuery: ReadQuery; readonly route: DeclaredRoute | undefined } | undefined;
  /** The application that matched the request. */
  readonly pipeline: Pipeline;
}

/** What a bound application runs before the handlers of a declared route. */
export interface Pipeline {
  /** Runs the steps of the route that the request has not passed yet. */
  enter(route: DeclaredRoute, request: Request, response: Response, next: NextFunction): unknown;
}

/** Parses the query of a request again, by a schema. */
export type ReadQuery = (request: IncomingMessage, expected: ExpectedValue | undefined) => unknown;

const stateKey = Symbol("servicekit.match");
const pipelineKey = Symbol("servicekit.pipeline");
const outerKey = Symbol("servicekit.outerApplication");

/** The bound application around another one, with its match. */
interface Outer {
  readonly pipeline: Pipeline;
  readonly state: MatchState | undefined;
  readonly outer: Outer | undefined;
}

type Bound = Express & { [pipelineKey]?: Pipeline };
type Stateful = IncomingMessage & {
  [stateKey]?: MatchState | undefined;
  [pipelineKey]?: Pipeline | undefined;
  [outerKey]?: Outer | undefined;
};

/** The state of a request in its bound application; `undefined` before the match and outside of one. */
export function matchState(request: IncomingMessage): MatchState | undefined {
  const { [stateKey]: state, [pipelineKey]: pipeline } = request as Stateful;
  return state?.pipeline === pipeline ? state : undefined;
}

export function setMatchState(request: IncomingMessage, state: MatchState): void {
  (request as Stateful)[stateKey] = state;
}

/** The innermost bound application of a request. */
export function pipelineOf(request: IncomingMessage): Pipeline | undefined {
  return (request as Stateful)[pipelineKey];
}

/** Binds an application: requests that pass its {@link enterApplication} have this pipeline from now on. */
export function bindPipeline(app: Express, pipeline: Pipeline): void {
  (app as Bound)[pipelineKey] = pipeline;
}

/** The handler that precedes all others of an application, so that its declared routes find its pipeline. */
export function enterApplication(app: Express): RequestHandler {
  return function enterApplication(request, _response, next) {
    const { [pipelineKey]: pipeline } = app as Bound;
    if (pipeline !== undefined) enterPipeline(request, pipeline);
    next();
  };
}

/** Makes an application the innermost one of a request. */
export function enterPipeline(request: IncomingMessage, entered: Pipeline): void {
  const stateful = request as Stateful;
  const { [stateKey]: state, [pipelineKey]: pipeline, [outerKey]: outer } = stateful;
  if (pipeline === entered) return;
  if (pipeline !== undefined) stateful[outerKey] = { pipeline, state, outer };
  stateful[pipelineKey] = entered;
}

/** Restores the bound application around the one that passes a request on. */
export function leavePipeline(request: IncomingMessage): void {
  const stateful = request as Stateful;
  const { [outerKey]: around } = stateful;
  stateful[pipelineKey] = around?.pipeline;
  // The last match remains for logs if no application is around this one.
  if (around?.state !== undefined) stateful[stateKey] = around.state;
  stateful[outerKey] = around?.outer;
}

/**
 * The match of a request: the declared route, its path template and parameters, for logs and metrics; `undefined`
 * before the match and in an application without `bindRoutes`.
 */
export function matchOf(request: IncomingMessage): RouteMatch | undefined {
  return (request as Stateful)[stateKey]?.match;
}
