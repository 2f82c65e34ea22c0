import { type AuthenticationConfig, type RouteAuthentication } from "@servicekit/router";
import { requiredAuthentication } from "@servicekit/router/internal";
import type { Request } from "express";

/**
 * Answers whether the caller of a request may enter a route that declares this. Given where authentication is on: the
 * discovery routes then ask for a signed-in user, and every entry says `allowed` (contract C46).
 */
export type Allows = (request: Request, authentication: AuthenticationConfig) => boolean | Promise<boolean>;

/** What a route asks of its callers. */
export const authenticationOf = (config: { readonly authentication?: RouteAuthentication }): AuthenticationConfig =>
  requiredAuthentication(config.authentication);
