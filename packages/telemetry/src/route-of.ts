import { matchOf } from "@servicekit/router/internal";
import type { Request } from "express";

/** The pattern of the route that a request has reached, such as `/books/:id`; `undefined` where there is none. */
export type RouteOf = (request: Request) => string | undefined;

/** As the route table of `@servicekit/router` has found it. */
export const matchedRoute: RouteOf = (request) => matchOf(request)?.template;
