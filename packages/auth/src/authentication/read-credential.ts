import type { Caller } from "@servicekit/router";
import type { Request } from "express";
import type { TokenClaims } from "../tokens/access-token.js";
import type { Permission, UserRecord } from "../users/user-store.js";

/** The authenticated caller of a request. */
export interface SignedIn {
  readonly caller: Caller;
  /** In dynamic mode; empty in static mode. */
  readonly permissions: readonly Permission[];
  /** The account of an access token: only a user who has signed in with a password may change it. */
  readonly account?: Account | undefined;
}

/** A signed-in user, with what only this package needs. */
export interface Account {
  readonly record: UserRecord;
  readonly claims: TokenClaims;
}

/** The possible credentials of a request. */
export interface Credential {
  /** A browser sends a cookie automatically. */
  readonly through: "header" | "cookie";
  /** @throws {HttpError} 401 when it is not accepted */
  verify(): Promise<SignedIn>;
}

/**
 * One kind of credential: reads it from a request, if there is one. Only the session of another library is
 * asynchronous.
 */
export type CredentialKind = (request: Request) => Credential | undefined | Promise<Credential | undefined>;

/** The credential of a request: the first of the kinds that recognizes it, so that no other is tried. */
export function readCredential(
  request: Request,
  kinds: readonly CredentialKind[],
): Credential | undefined | Promise<Credential | undefined> {
  for (const [index, kind] of kinds.entries()) {
    const credential = kind(request);
    if (credential instanceof Promise)
      return credential.then((known) => known ?? readCredential(request, kinds.slice(index + 1)));
    if (credential !== undefined) return credential;
  }
  return undefined;
}

/** The access data of a user with full permissions. */
export function signedInAs(record: UserRecord): Omit<SignedIn, "account"> {
  const { id, roles, isSuperUser, user, permissions } = record;
  return { caller: Object.freeze({ id, roles, isSuperUser, user }), permissions };
}
