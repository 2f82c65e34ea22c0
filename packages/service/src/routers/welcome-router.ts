import { ServiceRouter, sendJson } from "@servicekit/router";
import { declareRoute } from "@servicekit/router/internal";
import type { RequestHandler } from "express";

/**
 * `GET /api`: exactly `{ "message" }` (specification, "Welcome router"), or the response of the user's handler.
 *
 * @param hasPage whether a browser gets a page instead
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
  summary: "Returns the welcome message.",
  description: "In development, a browser gets a page with links.",
  tags: ["Welcome"],
  responses: {
    200: {
      description: "The welcome message.",
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
