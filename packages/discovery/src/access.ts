import { type AuthenticationConfig, type RouteAuthentication, requiredAuthentication } from "@servicekit/router";
import type { Request } from "express";

/**
 * Answers whether the caller of a request may enter a route that declares this. Given where authentication is on: the
 * discovery routes then ask for a signed-in user, and every entry says `allowed` (contract C46).
 */
export type Allows = (request: Request, authentication: AuthenticationConfig) => boolean | Promise<boolean>;

/** What a route asks of its callers. */
export const authenticationOf = (config: { readonly authentication?: RouteAuthentication }): AuthenticationConfig =>
  requiredAuthentication(config.authentication);
