import type { ServiceRouter } from "@servicekit/router";
import { makeStudioRouter } from "./studio-router.js";

/** The settings of a service that the studio is made from. */
export interface ServiceFacts {
  readonly apiDocs: { readonly enabled: boolean; readonly endpoint: string };
  readonly disabledRouters: ReadonlySet<string>;
  readonly authentication:
    | { readonly mode: string; readonly login: { readonly allowedUsernames: readonly string[] } }
    | undefined;
}

/**
 * The studio of a service (contract C76), by its settings.
 *
 * @param isAuthenticated whether people sign in
 */
export function openStudio(
  { apiDocs, disabledRouters, authentication }: ServiceFacts,
  isAuthenticated: boolean,
): ServiceRouter {
  const hasSignIn = isAuthenticated && authentication !== undefined && !disabledRouters.has("auth-router");
  return makeStudioRouter({
    document: apiDocs.enabled && !disabledRouters.has("api-docs") ? `${apiDocs.endpoint}.json` : null,
    signIn: hasSignIn
      ? { usernames: authentication.login.allowedUsernames, isDynamic: authentication.mode === "dynamic" }
      : null,
  });
}
