import { httpErrors } from "@servicekit/errors";
import type { RequestHandler } from "express";
import { allowHeader } from "./bind-routes.js";
import { requestPath } from "./request-path.js";
import type { RouteTable } from "./route-table.js";

/**
 * The handler behind all routes: 405 with `Allow` where the path takes other methods, 404 otherwise (contract C5,
 * RFC 9110 section 15.5.6).
 */
export function makeNotFound(table: RouteTable): RequestHandler {
  return function notFound(request, _response, next) {
    const path = requestPath(request);
    const methods = path === undefined ? [] : table.methodsAt(path);
    if (methods.length === 0 || methods.includes("*") || methods.includes(request.method)) {
      next(httpErrors.NotFound());
      return;
    }
    next(httpErrors.MethodNotAllowed(undefined, { headers: { Allow: allowHeader(methods) } }));
  };
}
