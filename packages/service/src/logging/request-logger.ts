import { matchOf } from "@servicekit/router";
import type { RequestHandler } from "express";
import type { Logger } from "pino";

/**
 * The access log (contract C42): one line for each answer with method, the route's template, status, duration and the
 * request's id. The template, not the URL, so that no id or secret of a query stands in the log.
 */
export function requestLogger(logger: Logger): RequestHandler {
  return (request, response, next) => {
    const started = performance.now();
    response.once("close", () => {
      const { method, id } = request;
      const status = response.writableFinished ? response.statusCode : 499;
      const line = {
        method,
        route: matchOf(request)?.template ?? "(no route)",
        status,
        ms: Math.round((performance.now() - started) * 10) / 10,
        requestId: id,
        ...userOf(request),
      };
      if (status >= 500) logger.error(line, "request");
      else logger.info(line, "request");
    });
    next();
  };
}

/** Whoever signs users in puts them here. */
function userOf(request: object): { userId?: unknown } {
  const { user } = request as { user?: { id?: unknown } };
  return user?.id === undefined ? {} : { userId: user.id };
}
