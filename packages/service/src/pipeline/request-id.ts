import { randomUUID } from "node:crypto";
import type { RequestHandler } from "express";

declare global {
  namespace Express {
    interface Request {
      /** The id of this request in the response (`X-Request-Id`), in problem bodies and in the log (contract C5). */
      id: string;
    }
  }
}

const sane = /^[A-Za-z0-9_.:+/=-]{1,128}$/;

/** Sets the id of each request: the client's own if it is valid, otherwise a new one. */
export function requestId(): RequestHandler {
  return (request, response, next) => {
    const given = request.headers["x-request-id"];
    request.id = typeof given === "string" && sane.test(given) ? given : randomUUID();
    response.setHeader("X-Request-Id", request.id);
    next();
  };
}
