import { matchOf } from "@servicekit/router/internal";
import type { Request } from "express";

/** The pattern of the matched route of a request, such as `/books/:id`; `undefined` if there is none. */
export type RouteOf = (request: Request) => string | undefined;

/** As the route table of `@servicekit/router` matched it. */
export const matchedRoute: RouteOf = (request) => matchOf(request)?.template;
