import { type RouteDocumentation, ServiceRouter, sendJson } from "@servicekit/router";
import { declareRoute } from "@servicekit/router/internal";
import type { Request } from "express";
import type { Allows } from "./access.js";

/** One of the discovery routes. */
export interface DiscoveryRoute {
  /** Such as `available-routes`. */
  readonly name: string;
  readonly allows: Allows | undefined;
  /** Returns the `data` of the response. */
  readonly read: (request: Request) => Promise<unknown>;
  readonly documentation: RouteDocumentation;
}

/** A router with one route, for signed-in users only if authentication is on. */
export function makeDiscoveryRoute({ name, allows, read, documentation }: DiscoveryRoute): ServiceRouter {
  const router = ServiceRouter();
  declareRoute(router, {
    method: "get",
    config: {
      path: `/${name}`,
      queryParser: false,
      validation: { body: false },
      ...(allows === undefined ? {} : { authentication: true }),
    },
    handlers: [
      async (request, response) => {
        sendJson(response, 200, { data: await read(request) });
      },
    ],
    origin: { place: `the route ${name}`, resource: name, operation: "findMany", documentation: () => documentation },
  });
  return router;
}
