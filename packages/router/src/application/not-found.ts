import type { IncomingMessage } from "node:http";
import { httpErrors } from "@servicekit/core";
import type { RequestHandler } from "express";
import { requestPath } from "../request/request-path.js";
import { type MayEnter, makeNearestPath } from "../table/nearest-path.js";
import type { RouteTable } from "../table/route-table.js";
import { allowHeader } from "./bind-routes.js";

/** Whether a request may belong to somebody else, and no route here takes its path. */
export type IsForeign = (request: IncomingMessage) => boolean;

/** Tells the requests of a host application that are none of these routes. */
export function makeIsForeign(table: RouteTable, isFromHost: (request: IncomingMessage) => boolean): IsForeign {
  return (request) => {
    if (!isFromHost(request)) return false;
    const path = requestPath(request);
    return path === undefined || table.methodsAt(path).length === 0;
  };
}

/** What the handler behind all routes needs to know. */
export interface NotFoundOptions {
  /** What is handed on to a host. @default nothing */
  readonly isForeign?: IsForeign | undefined;
  /** Who may be told of a route: without it, everyone of those that ask for nobody. */
  readonly mayEnter?: MayEnter | undefined;
}

/**
 * The handler behind all routes: 405 with `Allow` where the path takes other methods, 404 otherwise, with the nearest path
 * that the caller may know (contract C5, RFC 9110 section 15.5.6). What is foreign is handed on to the host.
 */
export function makeNotFound(
  table: RouteTable,
  { isForeign = () => false, mayEnter = isOpen }: NotFoundOptions = {},
): RequestHandler {
  const nearestPath = makeNearestPath(table, mayEnter);
  const notFound: RequestHandler = async (request, _response, next) => {
    if (isForeign(request)) return next();
    const path = requestPath(request);
    const methods = path === undefined ? [] : table.methodsAt(path);
    if (methods.length > 0 && !methods.includes("*") && !methods.includes(request.method)) {
      const headers = { Allow: allowHeader(methods) };
      return next(httpErrors.MethodNotAllowed(undefined, { headers, stack: false }));
    }
    const near = path === undefined ? undefined : await nearestPath(request, path);
    const told = near === undefined ? undefined : `There is nothing here; did you mean ${near}?`;
    next(httpErrors.NotFound(told, { stack: false }));
  };
  return notFound;
}

const isOpen: MayEnter = (_request, authentication) => authentication === false;
