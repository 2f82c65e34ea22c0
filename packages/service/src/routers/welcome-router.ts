import { ServiceRouter, sendJson } from "@servicekit/router";
import { declareRoute } from "@servicekit/router/internal";
import type { RequestHandler } from "express";

/**
 * `GET /api`: exactly `{ "message" }` (specification, "Welcome router"), or what a handler of the user's answers.
 *
 * @param hasPage whether a browser is shown a page instead
 */
export function makeWelcomeRouter(welcome: string | RequestHandler, hasPage = false): ServiceRouter {
  const router = ServiceRouter();
  const greet: RequestHandler = (_request, response) => sendJson(response, 200, { message: welcome });
  declareRoute(router, {
    method: "get",
    config: {
      path: "/",
      queryParser: false,
      validation: { body: false },
      ...(typeof welcome === "string" ? { experimental: { openapi: documented(hasPage) } } : {}),
    },
    handlers: [typeof welcome === "function" ? welcome : greet],
    origin: { place: "the welcome endpoint", resource: "welcome" },
  });
  return router;
}

const documented = (hasPage: boolean) => ({
  summary: "Greets whoever comes.",
  description: "A browser is shown where to go, in development.",
  tags: ["Welcome"],
  responses: {
    200: {
      description: "The greeting.",
      content: {
        "application/json": {
          schema: {
            type: "object",
            properties: { message: { type: "string" } },
            required: ["message"],
            additionalProperties: false,
          },
        },
        ...(hasPage ? { "text/html": { schema: { type: "string" } } } : {}),
      },
    },
  },
});
