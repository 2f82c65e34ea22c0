import { matchOf } from "@servicekit/router/internal";
import type { RequestHandler } from "express";
import type { Logger } from "pino";
import type { DebuggingConfig } from "../config/debugging.js";
import { loggedPath } from "./logged-path.js";
import { redact } from "./redact.js";

/**
 * `debugging.requests` (contract C42): at level 1 a line before the request runs, at 2 with parameters, query and
 * headers, at 3 with its body and the size of the response. `filter` selects the parts.
 */
export function debugRequests(
  { level = 0, filter }: NonNullable<DebuggingConfig["requests"]>,
  logger: Logger,
): RequestHandler[] {
  if (level === 0) return [];
  const wanted = (part: string, from: number): boolean => level >= from && (filter?.includes(part) ?? true);
  const handler: RequestHandler = (request, response, next) => {
    const parts = {
      ...(wanted("Params", 2) ? { params: redact(matchOf(request)?.params ?? {}) } : {}),
      ...(wanted("Query", 2) ? { query: redact(request.query) } : {}),
      ...(wanted("Headers", 2) ? { headers: redact(request.headers) } : {}),
      ...(wanted("Body", 3) ? { body: redact(request.body) } : {}),
    };
    logger.info(
      { method: request.method, path: loggedPath(request), requestId: request.id, ...parts },
      "request started",
    );
    if (level >= 3) {
      const before = request.socket.bytesWritten;
      response.once("close", () => {
        logger.info({ requestId: request.id, bytes: request.socket.bytesWritten - before }, "response sent");
      });
    }
    next();
  };
  return [handler];
}
