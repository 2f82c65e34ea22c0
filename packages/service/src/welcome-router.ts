import { declareRoute, ServiceRouter, sendJson } from "@servicekit/router";
import type { RequestHandler } from "express";

/** `GET /api`: exactly `{ "message" }` (specification, "Welcome router"), or what a handler of the user's answers. */
export function makeWelcomeRouter(welcome: string | RequestHandler): ServiceRouter {
  const router = ServiceRouter();
  const greet: RequestHandler = (_request, response) => sendJson(response, 200, { message: welcome });
  declareRoute(router, {
    method: "get",
    config: { path: "/", queryParser: false, validation: { body: false } },
    handlers: [typeof welcome === "function" ? welcome : greet],
    origin: { place: "the welcome endpoint", resource: "welcome" },
  });
  return router;
}
