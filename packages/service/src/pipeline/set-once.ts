import type { ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { RequestHandler } from "express";

// By name it would be slow to load: see make-server of router.
const http = process.getBuiltinModule("node:http");

/**
 * A middleware that sets the same headers for every request, as one that sets those which it has set once: it is asked at
 * start what it would say to a request without an `Origin`. Where its options hold a function it stays as it is, since a
 * function may look at the request; where an answer has a `Vary` to add to, it is asked again.
 *
 * @param handler is done in the turn in which it is called
 * @param options what it was made with
 */
export function setOnce(handler: RequestHandler, options: unknown): RequestHandler {
  if (holdsFunction(options)) return handler;
  const request = new http.IncomingMessage(new Socket());
  request.method = "GET";
  request.url = "/";
  // Node's types know the last of these methods of requests that are sent only.
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
  return function setHeaders(given, answer, next) {
    if (adds && answer.hasHeader("vary")) return handler(given, answer, next);
    if (takesPoweredBy) answer.removeHeader(poweredBy);
    for (const [name, value] of headers) answer.setHeader(name, value);
    next();
  };
}

const poweredBy = "X-Powered-By";

/** Whether options have a function in them. */
export function holdsFunction(value: unknown): boolean {
  if (typeof value === "function") return true;
  return typeof value === "object" && value !== null && Object.values(value).some(holdsFunction);
}
