import { randomUUID } from "node:crypto";
import type { RequestHandler } from "express";

/** Sets the request id of each response, like the service. */
export const requestId: RequestHandler = (request, response, next) => {
  const given = request.headers["x-request-id"];
  const id = typeof given === "string" && /^[\w.:+/=-]{1,128}$/.test(given) ? given : randomUUID();
  response.setHeader("X-Request-Id", id);
  next();
};
