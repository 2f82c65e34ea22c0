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

/** What there is around the step that makes a difference to the document. */
export interface StepSurroundings {
  /** Revoked tokens are kept in a store that can be away. */
  readonly hasSharedTokens?: boolean;
  /** Keys of issuers are read over the network. */
  readonly hasIssuers?: boolean;
  /** There are callers who are no accounts here. */
  readonly hasNamed?: boolean;
  /** There are API keys. */
  readonly hasKeys?: boolean;
}

/**
 * The step of `authentication`: who is it, and may they; before uploads, validation and any lookup of a row (contract
 * C50). A generated route that is public signs in whoever sends a token, for its row rules, and so does one that declares
 * `"optional"`; other routes without the key are left alone, since their `Authorization` header may mean something else.
 */
export function makeAuthenticationStep(
  authenticator: Authenticator,
  control: AccessControl,
  surroundings: StepSurroundings = {},
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
          if (isOfAccount && signedIn.account === undefined) throw authErrors.SignInNeeded();
          // Somebody else's user is none of ours, and no route of accounts has anything to tell of it.
          if (isOfAuth && signedIn.caller.namedBy !== undefined) throw authErrors.SignInNeeded();
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
        tokenRefused,
        ...(surroundings.hasSharedTokens === true ? [tokensUnavailable] : []),
        ...(surroundings.hasIssuers === true ? [issuerUnavailable] : []),
        ...(asksForAccount(route, surroundings) ? [signInNeeded] : []),
        ...(surroundings.hasKeys === true ? [keyRefused, keyLimited] : []),
      ];
    },
  };
}

/** What changes an account, or shows how to get into it, asks for who has signed in; all but the routes of `auth` do not. */
function needsAccount(route: DeclaredRoute | undefined): boolean {
  return route?.origin.resource === "auth" && route.origin.operation !== "getMe";
}

/** Whether a caller of some kind is refused here who has come in. */
function asksForAccount(route: DeclaredRoute, { hasNamed, hasKeys }: StepSurroundings): boolean {
  return (hasNamed === true && route.origin.resource === "auth") || (hasKeys === true && needsAccount(route));
}

/** What a caller can show of who it is: an access token in `Authorization`, the cookie of one, an API key. */
export type ShownCredential = "bearer" | "cookie" | "apiKey";

/** What callers of a route can show, or those of any route. */
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

const tokenRefused: DocumentedError = {
  status: 401,
  code: "InvalidToken",
  description: "The access token is not valid, or no longer.",
};
const signInNeeded: DocumentedError = {
  status: 403,
  code: "SignInNeeded",
  description: "The caller is no account here that has signed in: an API key, or somebody named by others.",
};
const issuerUnavailable: DocumentedError = {
  status: 503,
  code: "IssuerUnavailable",
  description: "The keys of the issuer of the token cannot be read; `Retry-After` says when to try again.",
};
const keyRefused: DocumentedError = {
  status: 401,
  code: "InvalidApiKey",
  description: "The API key is not valid, or no longer.",
};
const keyLimited: DocumentedError = {
  status: 429,
  code: "TooManyRequests",
  description: "The API key has made too many requests.",
};
const tokensUnavailable: DocumentedError = {
  status: 503,
  code: "TokensUnavailable",
  description: "The store of revoked tokens is not available.",
};

/** The step of an application whose authentication is off: what is declared passes everyone (contract C30). */
export const openStep: RouteStep = Object.freeze<RouteStep>({ key: "authentication", handlers: () => [] });

/** The headers in which callers show who they are. */
const shownIn = "Authorization, Cookie";

/** Signs in whoever sends a token; everyone else is nobody. */
export function identifyHandler(authenticator: Authenticator): RequestHandler {
  return function identify(request, response, next) {
    // What a cache keeps of nobody's answer is not the answer to a user.
    if (response.hasHeader("vary")) response.vary(shownIn);
    else response.setHeader("Vary", shownIn);
    const identified = authenticator.identify(request, response);
    if (identified !== undefined) return identified.then(() => next());
    next();
    return undefined;
  };
}

/** Whether somebody may, by a rule that is read once; a superuser may everything. */
export function accessRule(access: AccessConfig, control: AccessControl): (rights: Rights) => boolean {
  const rule = control.rule(access);
  return (rights) => rights.caller.isSuperUser || rule(rights);
}
