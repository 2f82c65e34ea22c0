import { tracingChannel } from "node:diagnostics_channel";
import type { ErrorRequestHandler, NextFunction, Request, RequestHandler, Response } from "express";
import type { DeclaredRoute } from "./declaration/declared-route.js";
import type { ExpressRoute, LayeredRouter } from "./express-layers.js";
import type { PathParams } from "./request-path.js";

/** The way that Express would take to a route, where nothing stands on it that does anything. */
export interface ClearWay {
  readonly route: ExpressRoute;
  /** What the routers above take of the URL, as `request.baseUrl` says it. */
  readonly baseUrl: string;
  /** What they leave of its path. */
  readonly path: string;
  readonly params: PathParams;
  readonly place: LayerPlace;
}

/** The handler behind all routes of an application, where nothing stands on the way to it. */
export interface BehindRoutes {
  readonly handle: RequestHandler;
  readonly place: LayerPlace;
}

/** Where a layer stands among those of its router, and its router among those above. */
export interface LayerPlace {
  readonly router: LayeredRouter;
  readonly position: number;
  /** What the routers above leave of the path. */
  readonly path: string;
  readonly above: LayerPlace | undefined;
}

/** What became of a request that went to a route directly and did not end there. */
export interface LeftRoute {
  readonly route: DeclaredRoute;
  /** What the last `next` was called with. */
  readonly error: unknown;
  readonly url: string;
  readonly method: string;
  /** What further calls of `next` said, until Express has got there. */
  readonly later: unknown[];
  /** The `next` of the route in Express, once Express has got there. */
  goOn?: NextFunction;
}

const roleKey = Symbol("servicekit.roleOfHandler");

type Marked = RequestHandler & { [roleKey]?: HandlerRole };

/**
 * `entry`: from it requests go to their routes; what stands before it has run. `passing`: does nothing to them. `last`: the
 * handler behind all routes, which hands on what it refuses as an error, and the handler of errors, which hands on nothing.
 */
export type HandlerRole = "entry" | "passing" | "last";

/** Says what a handler that an application mounts is to direct dispatch. */
export function markRole<Handler extends RequestHandler | ErrorRequestHandler>(
  handler: Handler,
  role: HandlerRole,
): Handler {
  Object.defineProperty(handler, roleKey, { value: role });
  return handler;
}

/** What a mounted handler is marked as; whoever wraps it loses the mark, and requests take Express's way. */
export const roleOf = (handler: unknown): HandlerRole | undefined => (handler as Marked)[roleKey];

/** Where Express tells each layer that it enters; whoever listens wants to hear of all. */
const { start, end, asyncStart, asyncEnd, error } = tracingChannel("express.router.request");

/** Whether somebody listens to what Express does. */
export function isExpressTraced(): boolean {
  return (
    start.hasSubscribers ||
    end.hasSubscribers ||
    asyncStart.hasSubscribers ||
    asyncEnd.hasSubscribers ||
    error.hasSubscribers
  );
}

/** What happens to a request that leaves a route unanswered; it is as it came then. */
export interface WayOut {
  /** Hands an error to its handler where that is known; otherwise Express is to find it. */
  readonly fail: (error: unknown) => boolean;
  readonly leave: (left: Omit<LeftRoute, "route">) => LeftRoute;
  /** Goes on in Express behind the match. */
  readonly next: NextFunction;
}

/** Words that Express takes for a way, not for an error. */
export const isRouting = (error: unknown): boolean => error === "route" || error === "router";

/** Hands a request to Express's route as the routers on the way would, without going through them. */
export function dispatchDirectly(
  { route, baseUrl, path, params }: ClearWay,
  request: Request,
  response: Response,
  { fail, leave, next }: WayOut,
): void {
  const { url, method, baseUrl: outerBase, params: outerParams, next: outerNext } = request;
  let left: LeftRoute | undefined;
  let hasFailed = false;
  const leaveRoute = (error?: unknown): void => {
    if (hasFailed) {
      // Behind the handler of errors is the end of the application.
      next("router");
      return;
    }
    if (left !== undefined) {
      // Whoever calls next twice goes on twice from where the route stands, as in Express.
      if (left.goOn === undefined) left.later.push(error);
      else left.goOn(error || "route");
      return;
    }
    const leaves = { error, url: request.url, method: request.method, later: [] };
    request.url = url;
    request.method = method;
    request.baseUrl = outerBase;
    request.params = outerParams;
    if (outerNext !== undefined) request.next = outerNext;
    const isAsItWas = leaves.url === wanted && leaves.method === method;
    hasFailed = isAsItWas && Boolean(error) && !isRouting(error) && fail(error);
    if (hasFailed) return;
    left = leave(leaves);
    next();
  };
  const search = url.indexOf("?");
  const wanted = search === -1 ? path : path + url.slice(search);
  if (wanted !== url) {
    request.url = wanted;
    request.baseUrl = outerBase + baseUrl;
  }
  // Handlers may change theirs; that of the match stays as the path says.
  const own: Request["params"] = Object.create(Object.getPrototypeOf(params));
  for (const name of Object.keys(params)) own[name] = params[name] as string;
  request.params = own;
  request.next = leaveRoute;
  route.dispatch(request, response, leaveRoute);
}
