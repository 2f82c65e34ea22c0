import {
  type AccessConfig,
  type DeclaredRoute,
  type DocumentedError,
  type RouteAuthentication,
  type RouteStep,
} from "@servicekit/router";
import { requiredAuthentication } from "@servicekit/router/internal";
import type { RequestHandler } from "express";
import type { AccessControl, Rights } from "../access-control/access-control.js";
import { authErrors } from "../errors.js";
import type { Authenticator } from "./authenticator.js";

/** The features around the step that matter for the document. */
export interface StepContext {
  /** Revoked tokens are in a store that can be unavailable. */
  readonly hasSharedTokens?: boolean;
  /** The keys of issuers are read over the network. */
  readonly hasIssuers?: boolean;
  /** There are callers without accounts in this service. */
  readonly hasExternalCallers?: boolean;
  /** There are API keys. */
  readonly hasKeys?: boolean;
}

/**
 * The step `authentication`: identifies the caller and checks access, before uploads, validation and any lookup of a
 * row (contract C50). A public generated route authenticates callers with a token, for its row rules, and so does a
 * route with `"optional"`; other routes without the key are not touched, because their `Authorization` header may have
 * another meaning.
 */
export function makeAuthenticationStep(
  authenticator: Authenticator,
  control: AccessControl,
  context: StepContext = {},
): RouteStep {
  return {
    key: "authentication",
    handlers(value, route) {
      const config = requiredAuthentication(value as RouteAuthentication | undefined);
      if (config === false) {
        const isRead = value === "optional" || route?.origin.model !== undefined;
        return isRead ? [identifyHandler(authenticator)] : [];
      }
      const isOfAccount = needsAccount(route);
      const isOfAuth = route?.origin.resource === "auth";
      const may = config === true ? undefined : accessRule(config, control);
      return [
        async function authenticate(request, response, next) {
          const signedIn = await authenticator.require(request, response);
          if (isOfAccount && signedIn.account === undefined) throw authErrors.AuthenticationRequired();
          // External callers have no account here, so account routes reject them.
          if (isOfAuth && signedIn.caller.identifiedBy !== undefined) throw authErrors.AuthenticationRequired();
          if (may !== undefined && !may(signedIn)) throw authErrors.Forbidden();
          next();
        },
      ];
    },
    check(value, route) {
      return typeof value === "object" && value !== null ? control.check(value as AccessConfig, route) : [];
    },
    errors(value, route) {
      const isRead = (value !== undefined && value !== false) || route.origin.model !== undefined;
      if (!isRead) return [];
      return [
        tokenRejected,
        ...(context.hasSharedTokens === true ? [tokensUnavailable] : []),
        ...(context.hasIssuers === true ? [issuerUnavailable] : []),
        ...(requiresAccount(route, context) ? [signInRequired] : []),
        ...(context.hasKeys === true ? [keyRejected, keyLimited] : []),
      ];
    },
  };
}

/** Account changes and credentials require a sign-in; only the routes of `auth` define this themselves. */
function needsAccount(route: DeclaredRoute | undefined): boolean {
  return route?.origin.resource === "auth" && route.origin.operation !== "getMe";
}

/** Whether some kind of authenticated caller is rejected here. */
function requiresAccount(route: DeclaredRoute, { hasExternalCallers, hasKeys }: StepContext): boolean {
  return (hasExternalCallers === true && route.origin.resource === "auth") || (hasKeys === true && needsAccount(route));
}

/** The possible credentials: an access token in `Authorization`, its cookie, an API key. */
export type ShownCredential = "bearer" | "cookie" | "apiKey";

/** The credentials that a route, or any route, accepts. */
export function shownCredentials({ hasAccounts, hasIssuers, hasKeys }: CredentialKinds) {
  return (route?: DeclaredRoute): readonly ShownCredential[] => [
    ...(hasAccounts || hasIssuers ? (["bearer"] as const) : []),
    ...(hasAccounts ? (["cookie"] as const) : []),
    ...(hasKeys && !needsAccount(route) ? (["apiKey"] as const) : []),
  ];
}

interface CredentialKinds {
  readonly hasAccounts: boolean;
  readonly hasIssuers: boolean;
  readonly hasKeys: boolean;
}

const tokenRejected: DocumentedError = {
  status: 401,
  code: "InvalidToken",
  description: "The access token is invalid or expired.",
};
const signInRequired: DocumentedError = {
  status: 403,
  code: "AuthenticationRequired",
  description:
    "The caller has not signed in to an account of this service: it uses an API key or an external identity.",
};
const issuerUnavailable: DocumentedError = {
  status: 503,
  code: "IssuerUnavailable",
  description: "The keys of the token's issuer cannot be read. Retry after the time in `Retry-After`.",
};
const keyRejected: DocumentedError = {
  status: 401,
  code: "InvalidApiKey",
  description: "The API key is invalid or expired.",
};
const keyLimited: DocumentedError = {
  status: 429,
  code: "TooManyRequests",
  description: "The API key has exceeded its rate limit.",
};
const tokensUnavailable: DocumentedError = {
  status: 503,
  code: "TokensUnavailable",
  description: "The store of revoked tokens is unavailable.",
};

/** The step of an application with authentication off: every declared route is open (contract C30). */
export const openStep: RouteStep = Object.freeze<RouteStep>({ key: "authentication", handlers: () => [] });

/** The headers with credentials. */
const shownIn = "Authorization, Cookie";

/** Authenticates callers with credentials; others are anonymous. */
export function identifyHandler(authenticator: Authenticator): RequestHandler {
  return function identify(request, response, next) {
    // A cache must not use an anonymous response for a user.
    if (response.hasHeader("vary")) response.vary(shownIn);
    else response.setHeader("Vary", shownIn);
    const identified = authenticator.identify(request, response);
    if (identified !== undefined) return identified.then(() => next());
    next();
    return undefined;
  };
}

/** Whether a caller has access by a rule that is read once; a superuser always has. */
export function accessRule(access: AccessConfig, control: AccessControl): (rights: Rights) => boolean {
  const rule = control.rule(access);
  return (rights) => rights.caller.isSuperUser || rule(rights);
}
