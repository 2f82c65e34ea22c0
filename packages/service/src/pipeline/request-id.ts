import { randomUUID } from "node:crypto";
import { knownHeader } from "@servicekit/router/internal";
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

const setRequestId = knownHeader("X-Request-Id");

/** Gives each request an id: the client's own when it is a sane one, a new one otherwise. */
export function requestId(): RequestHandler {
  return (request, response, next) => {
    const given = request.headers["x-request-id"];
    request.id = typeof given === "string" && sane.test(given) ? given : randomUUID();
    setRequestId(response, request.id);
    next();
  };
}
