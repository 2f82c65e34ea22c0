import { type AuthenticationConfig, type RouteAuthentication } from "@servicekit/router";
import { requiredAuthentication } from "@servicekit/router/internal";
import type { Request } from "express";

/**
 * Returns whether the caller of a request may use a route with this declaration. It is set if authentication is on: the
 * discovery routes then require a signed-in user, and every entry has `allowed` (contract C46).
 */
export type Allows = (request: Request, authentication: AuthenticationConfig) => boolean | Promise<boolean>;

/** The authentication of a route. */
export const authenticationOf = (config: { readonly authentication?: RouteAuthentication }): AuthenticationConfig =>
  requiredAuthentication(config.authentication);
