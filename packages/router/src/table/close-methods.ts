import type { RequestHandler } from "express";

const closedKey = Symbol.for("servicekit.closedMethods");

/**
 * Closes methods at the path that it is mounted at, for the rest of its `ServiceRouter`: no later route of that router takes them, though
 * its pattern may match. The route table leaves such routes out, so that 404, 405 and `Allow` agree everywhere.
 *
 * @param methods in upper case
 */
export function closeMethods(methods: Iterable<string>): RequestHandler {
  const closed: ReadonlySet<string> = new Set(methods);
  const handler: RequestHandler = (request, _response, next) =>
    next(request.path === "/" && closed.has(request.method) ? "router" : undefined);
  return Object.defineProperty(handler, closedKey, { value: closed });
}

/** The methods that a handler closes; `undefined` for every other handler. */
export const closedMethods = (handler: unknown): ReadonlySet<string> | undefined =>
  (handler as { readonly [closedKey]?: ReadonlySet<string> } | null | undefined)?.[closedKey];
