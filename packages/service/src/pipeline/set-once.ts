import type { ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { RequestHandler } from "express";

// A named import would be slow to load: see make-server of router.
const http = process.getBuiltinModule("node:http");

/**
 * Records the headers of a middleware that sets the same ones for every request: it is called once at startup, for a
 * request without `Origin`. If its options contain a function, it is not replaced, because a function may read the
 * request; if a response already has a `Vary`, it is called again.
 *
 * @param handler is synchronous
 * @param options its options
 */
export function setOnce(handler: RequestHandler, options: unknown): RequestHandler {
  if (containsFunction(options)) return handler;
  const request = new http.IncomingMessage(new Socket());
  request.method = "GET";
  request.url = "/";
  // Node's types declare the last of these methods only for outgoing requests.
  const response = new http.ServerResponse(request) as ServerResponse & { getRawHeaderNames(): string[] };
  response.setHeader(poweredBy, "Express");
  let isDone = false;
  handler(request as never, response as never, (error?: unknown) => {
    isDone = error === undefined;
  });
  if (!isDone) return handler;
  const takesPoweredBy = !response.hasHeader(poweredBy);
  response.removeHeader(poweredBy);
  const headers = response.getRawHeaderNames().map((name) => [name, response.getHeader(name) as string] as const);
  const adds = headers.some(([name]) => name.toLowerCase() === "vary");
  return function setHeaders(given, reply, next) {
    if (adds && reply.hasHeader("vary")) return handler(given, reply, next);
    if (takesPoweredBy) reply.removeHeader(poweredBy);
    for (const [name, value] of headers) reply.setHeader(name, value);
    next();
  };
}

const poweredBy = "X-Powered-By";

/** Whether options contain a function. */
export function containsFunction(value: unknown): boolean {
  if (typeof value === "function") return true;
  return typeof value === "object" && value !== null && Object.values(value).some(containsFunction);
}
