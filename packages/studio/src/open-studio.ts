import type { ServiceRouter } from "@servicekit/router";
import { makeStudioRouter, type StudioOptions } from "./studio-router.js";

/** The service settings that the studio needs. */
export interface ServiceInfo {
  /** The name of the application, if it has one. */
  readonly title?: string | undefined;
  readonly apiDocs: { readonly enabled: boolean; readonly endpoint: string };
  readonly disabledRouters: ReadonlySet<string>;
  readonly authentication:
    | {
        readonly mode: string;
        /** Whether the service has accounts of its own; otherwise callers are external. */
        readonly accounts: boolean;
        readonly login: { readonly allowedUsernames: readonly string[] };
      }
    | undefined;
}

/**
 * The studio of a service (contract C76), by its settings.
 *
 * @param isAuthenticated whether users sign in
 */
export function openStudio(service: ServiceInfo, isAuthenticated: boolean): ServiceRouter {
  return makeStudioRouter(studioOptions(service, isAuthenticated));
}

/** What the page of a service shows: its document, and how users sign in. */
export function studioOptions(
  { title, apiDocs, disabledRouters, authentication }: ServiceInfo,
  isAuthenticated: boolean,
): StudioOptions {
  const hasLogin = authentication?.accounts === true && !disabledRouters.has("auth-router");
  return {
    ...(title === undefined ? {} : { title }),
    document: apiDocs.enabled && !disabledRouters.has("api-docs") ? `${apiDocs.endpoint}.json` : null,
    signIn:
      isAuthenticated && authentication !== undefined
        ? {
            usernames: hasLogin ? authentication.login.allowedUsernames : [],
            isDynamic: authentication.mode === "dynamic",
          }
        : null,
  };
}
