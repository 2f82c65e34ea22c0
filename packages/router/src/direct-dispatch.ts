import { tracingChannel } from "node:diagnostics_channel";
import type { NextFunction, Request, RequestHandler, Response } from "express";
import type { DeclaredRoute } from "./declaration/declared-route.js";
import type { ExpressRoute } from "./express-layers.js";
import type { PathParams } from "./request-path.js";

/** The way that Express would take to a route, where nothing stands on it that does anything. */
export interface ClearWay {
  readonly route: ExpressRoute;
  /** What the routers above take of the URL, as `request.baseUrl` says it. */
  readonly baseUrl: string;
  /** What they leave of its path. */
  readonly path: string;
  readonly params: PathParams;
}

/** What became of a request that went to a route directly and did not end there. */
export interface LeftRoute {
  readonly route: DeclaredRoute;
  /** What the last `next` was called with. */
  readonly error: unknown;
  readonly url: string;
  readonly method: string;
  /** The `next` of the route in Express, once Express has got there. */
  goOn?: NextFunction;
}

const roleKey = Symbol("servicekit.roleOfHandler");

type Marked = RequestHandler & { [roleKey]?: HandlerRole };

/** `entry`: from it requests go to their routes; what stands before it has run. `passing`: does nothing to them. */
export type HandlerRole = "entry" | "passing";

/** Says what a handler that an application mounts is to direct dispatch. */
export function markRole<Handler extends RequestHandler>(handler: Handler, role: HandlerRole): Handler {
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

/**
 * Hands a request to Express's route as the routers on the way would, without going through them.
 *
 * @param leave is called when the request leaves the route unanswered; the request is as it came then
 * @param next goes on in Express behind the match
 */
export function dispatchDirectly(
  { route, baseUrl, path, params }: ClearWay,
  request: Request,
  response: Response,
  next: NextFunction,
  leave: (left: Omit<LeftRoute, "route">) => LeftRoute,
): void {
  const { url, method, baseUrl: outerBase, params: outerParams, next: outerNext } = request;
  let left: LeftRoute | undefined;
  const leaveRoute = (error?: unknown): void => {
    if (left !== undefined) {
      // Whoever calls next twice goes on twice, as in Express.
      if (left.goOn === undefined) next(error);
      else left.goOn(error || "route");
      return;
    }
    left = leave({ error, url: request.url, method: request.method });
    request.url = url;
    request.method = method;
    request.baseUrl = outerBase;
    request.params = outerParams;
    if (outerNext !== undefined) request.next = outerNext;
    next();
  };
  const search = url.indexOf("?");
  const wanted = search === -1 ? path : path + url.slice(search);
  if (wanted !== url) {
    request.url = wanted;
    request.baseUrl = outerBase + baseUrl;
  }
  // Handlers may change theirs; that of the match stays as the path says.
  request.params = Object.assign(Object.create(Object.getPrototypeOf(params)), params);
  request.next = leaveRoute;
  route.dispatch(request, response, leaveRoute);
}
