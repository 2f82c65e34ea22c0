import { httpErrors } from "@servicekit/core";
import type { Request, RequestHandler } from "express";
import { leavePipeline } from "../pipeline/request-match.js";
import { requestPath } from "../request/request-path.js";
import { type MayEnter, makeNearestPath } from "../table/nearest-path.js";
import type { RouteTable } from "../table/route-table.js";
import { allowHeader } from "./bind-routes.js";

/** Whether a request may belong to a host application, and no route here has its path. */
export type IsForeignRouter = (request: Request) => boolean;

/** Identifies the requests of a host application that match none of these routes. */
export function makeIsForeignRouter(table: RouteTable, isFromHost: (request: Request) => boolean): IsForeignRouter {
  return (request) => {
    if (!isFromHost(request)) return false;
    const path = requestPath(request);
    return path === undefined || table.methodsAt(path).length === 0;
  };
}

/** The options of the 404 handler. */
export interface NotFoundOptions {
  /** Which requests are passed on to a host. @default none */
  readonly isForeign?: IsForeignRouter | undefined;
  /** Who may use a route, so that it can be suggested. @default everyone, for open routes */
  readonly mayEnter?: MayEnter | undefined;
}

/**
 * The handler after all routes: 405 with `Allow` if the path has other methods, otherwise 404, with the nearest path
 * that the caller may use (contract C5, RFC 9110 section 15.5.6). Requests of a host are passed on.
 */
export function makeNotFound(
  table: RouteTable,
  { isForeign = () => false, mayEnter = isOpen }: NotFoundOptions = {},
): RequestHandler {
  const nearestPath = makeNearestPath(table, mayEnter);
  const notFound: RequestHandler = async (request, _response, next) => {
    if (isForeign(request)) {
      leavePipeline(request);
      return next();
    }
    const path = requestPath(request);
    const methods = path === undefined ? [] : table.methodsAt(path);
    if (methods.length > 0 && !methods.includes("*") && !methods.includes(request.method)) {
      const headers = { Allow: allowHeader(methods) };
      return next(httpErrors.MethodNotAllowed(undefined, { headers, stack: false }));
    }
    const near = path === undefined ? undefined : await nearestPath(request, path);
    const message = near === undefined ? undefined : `No resource exists at this path. Did you mean ${near}?`;
    next(httpErrors.NotFound(message, { stack: false }));
  };
  return notFound;
}

const isOpen: MayEnter = (_request, authentication) => authentication === false;
