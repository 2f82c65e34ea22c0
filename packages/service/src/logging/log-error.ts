import { isHttpError } from "@servicekit/core";
import { traceIdOf } from "@servicekit/telemetry/internal";
import type { Request } from "express";
import type { Logger } from "pino";
import { loggedError } from "./logged-error.js";
import { loggedPath } from "./logged-path.js";
import { redactText } from "./redact-text.js";

/**
 * Logs what an answer hides from the client, under the id that the answer names. A fault that is known, such as a
 * database that is away, is one short line; anything else comes with its stack. Secrets are left out (contract C42):
 * errors of libraries quote what they were given.
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
    const cause = error.cause instanceof Error ? error.cause.message.trim().split("\n").at(-1) : undefined;
    const told = cause === undefined ? undefined : redactText(cause, 1_000);
    logger.error({ ...where, status: error.status, code: error.code, cause: told }, error.message);
  };
}
