import { callerOf } from "@servicekit/router";
import { matchOf, type RouteMatch } from "@servicekit/router/internal";
import { traceIdOf } from "@servicekit/telemetry/internal";
import type { Request, RequestHandler } from "express";
import type { Logger } from "pino";
import { requestMessage } from "./held-lines.js";

/**
 * The access log (contract C42, C69): one line for each answer with method, the route's template, status, duration, the
 * bytes of the answer, the client's address and the request's id. The template, not the URL, so that no id or secret of a
 * query stands in the log. Health probes are at `debug`.
 */
export function requestLogger(logger: Logger): RequestHandler {
  return (request, response, next) => {
    const started = performance.now();
    const { socket, ip } = request;
    const written = socket.bytesWritten;
    let isSent = false;
    // Node tells the end of an answer too when its connection is cut while all of it waits to be sent.
    response.prependListener("finish", () => {
      isSent = !socket.destroyed;
    });
    // An answer is closed once; a listener that has to leave its list by itself costs more.
    response.on("close", () => {
      const status = isSent ? response.statusCode : 499;
      const match = matchOf(request);
      const caller = callerOf(request);
      const line = {
        method: request.method,
        route: routeOf(match),
        requestId: request.id,
        status,
        ms: Math.round((performance.now() - started) * 10) / 10,
        bytes: socket.bytesWritten - written,
        client: ip,
        // So that the spans of the request are found from the log (contract C69). What is undefined is left out of the line.
        traceId: traceIdOf(request),
        // An application that signs users in by itself sets `request.user` alone.
        userId: caller?.id ?? (request as { user?: { id?: unknown } }).user?.id,
        // An id alone identifies no caller where there are several issuers.
        issuer: caller?.namedBy,
      };
      if (match?.route?.origin.resource === "health") logger.debug(line, requestMessage);
      else if (status >= 500) logger.error(line, requestMessage);
      else logger.info(line, requestMessage);
    });
    next();
  };
}

/** What every line of the log says of a request. */
export function requestFacts(request: Request): { method: string; route: string; requestId: string } {
  const { method, id } = request;
  return { method, route: routeOf(matchOf(request)), requestId: id };
}

const routeOf = (match: RouteMatch | undefined): string => match?.template ?? "(no route)";
