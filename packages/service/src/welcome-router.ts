import { ServiceRouter, sendJson } from "@servicekit/router";

/** `GET /api`: exactly `{ "message" }` (specification, "Welcome router"). */
export function makeWelcomeRouter(message: string): ServiceRouter {
  const router = ServiceRouter();
  router.get({ path: "/" }, (_request, response) => sendJson(response, 200, { message }));
  return router;
}
