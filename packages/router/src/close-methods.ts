import type { RequestHandler } from "express";
import { markRole } from "./direct-dispatch.js";

const closedKey = Symbol("servicekit.closedMethods");

const none: ReadonlySet<string> = new Set();

/**
 * Closes methods of the path that it is mounted at: no later route of its router takes them, though its pattern may. They are
 * answered as what nobody has declared, and the route table knows of it: `Allow` is the same wherever it is told.
 *
 * @param methods in upper case
 */
export function closeMethods(methods: Iterable<string>): RequestHandler {
  const closed: ReadonlySet<string> = new Set(methods);
  const handler: RequestHandler = (request, _response, next) =>
    next(request.path === "/" && closed.has(request.method) ? "router" : undefined);
  return markRole(Object.defineProperty(handler, closedKey, { value: closed }), "passing");
}

/** What a handler closes at its own path. */
export const closedMethods = (handler: unknown): ReadonlySet<string> =>
  (handler as { readonly [closedKey]?: ReadonlySet<string> })[closedKey] ?? none;
