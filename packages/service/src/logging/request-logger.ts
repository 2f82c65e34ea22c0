import { callerOf } from "@servicekit/router";
import { matchOf, type RouteMatch, recordedStatus } from "@servicekit/router/internal";
import { traceIdOf } from "@servicekit/telemetry/internal";
import type { Request, RequestHandler } from "express";
import type { Logger } from "pino";
import { requestMessage } from "./buffered-lines.js";

/**
 * The access log (contract C42, C69): one line per response with method, the route's template, status, duration, the
 * bytes of the response, the client's address and the request id. It contains the template, not the URL, so that no id
 * or secret of a query is logged. Health probes are at `debug`.
 */
export function requestLogger(logger: Logger): RequestHandler {
  return (request, response, next) => {
    const started = performance.now();
    const { socket, ip } = request;
    const written = socket.bytesWritten;
    let isSent = false;
    // Node also reports the end of a response if its connection is closed while all of it is queued.
    response.prependListener("finish", () => {
      isSent = !socket.destroyed;
    });
    // A response is closed once; a listener that removes itself costs more.
    response.on("close", () => {
      const status = isSent ? recordedStatus(response) : 499;
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
        // So that the spans of the request can be found from the log (contract C69). `undefined` is left out of the
        // line.
        traceId: traceIdOf(request),
        // An application with its own authentication sets only `request.user`.
        userId: caller?.id ?? (request as { user?: { id?: unknown } }).user?.id,
        // An id alone does not identify a caller if there are several issuers.
        issuer: caller?.identifiedBy,
      };
      if (match?.route?.origin.resource === "health") logger.debug(line, requestMessage);
      else if (status >= 500) logger.error(line, requestMessage);
      else logger.info(line, requestMessage);
    });
    next();
  };
}

/** The fields of a request in every log line. */
export function requestInfo(request: Request): { method: string; route: string; requestId: string } {
  const { method, id } = request;
  return { method, route: routeOf(matchOf(request)), requestId: id };
}

const routeOf = (match: RouteMatch | undefined): string => match?.template ?? "(no route)";
