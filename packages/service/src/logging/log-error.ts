import { isHttpError } from "@servicekit/core";
import { traceIdOf } from "@servicekit/telemetry/internal";
import type { Request } from "express";
import type { Logger } from "pino";
import { errorReason } from "./error-reason.js";
import { loggedError } from "./logged-error.js";
import { loggedPath } from "./logged-path.js";

/**
 * Logs an error that a response hides from the client, under the request id in the response. A known error, such as an
 * unavailable database, is one short line; anything else has its stack. Secrets are removed (contract C42), because
 * errors of libraries quote their input.
 */
export function logError(logger: Logger): (error: unknown, request: Request) => void {
  return (error, request) => {
    const traceId = traceIdOf(request);
    const where = {
      requestId: request.id,
      ...(traceId === undefined ? {} : { traceId }),
      method: request.method,
      path: loggedPath(request),
    };
    if (!isHttpError(error)) {
      logger.error({ ...where, err: loggedError(error) }, "unexpected error");
      return;
    }
    const cause = error.cause instanceof Error ? errorReason(error.cause) : undefined;
    logger.error({ ...where, status: error.status, code: error.code, cause }, error.message);
  };
}
