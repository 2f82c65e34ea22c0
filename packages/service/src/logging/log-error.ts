import { isHttpError } from "@servicekit/errors";
import type { Request } from "express";
import type { Logger } from "pino";

/**
 * Logs what an answer hides from the client, under the id that the answer names. A fault that is known, such as a
 * database that is away, is one short line; anything else comes with its stack.
 */
export function logError(logger: Logger): (error: unknown, request: Request) => void {
  return (error, request) => {
    const where = { requestId: request.id, method: request.method, path: request.path };
    if (!isHttpError(error)) {
      logger.error({ ...where, err: error }, "unexpected error");
      return;
    }
    const cause = error.cause instanceof Error ? error.cause.message.trim().split("\n").at(-1) : undefined;
    logger.error({ ...where, status: error.status, code: error.code, cause }, error.message);
  };
}
