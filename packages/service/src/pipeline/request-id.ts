import { randomUUID } from "node:crypto";
import type { RequestHandler } from "express";

declare global {
  namespace Express {
    interface Request {
      /** Names this request in the answer (`X-Request-Id`), in problem bodies and in the log (contract C5). */
      id: string;
    }
  }
}

const sane = /^[A-Za-z0-9_.:+/=-]{1,128}$/;

/** Gives each request an id: the client's own when it is a sane one, a new one otherwise. */
export function requestId(): RequestHandler {
  return (request, response, next) => {
    const given = request.headers["x-request-id"];
    request.id = typeof given === "string" && sane.test(given) ? given : randomUUID();
    response.setHeader("X-Request-Id", request.id);
    next();
  };
}
