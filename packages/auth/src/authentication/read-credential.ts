import type { Caller } from "@servicekit/router";
import type { Request } from "express";
import type { TokenClaims } from "../tokens/access-token.js";
import type { Permission, UserRecord } from "../users/user-store.js";

/** Who makes a request, as a credential has shown it. */
export interface SignedIn {
  readonly caller: Caller;
  /** In dynamic mode; empty in static mode. */
  readonly permissions: readonly Permission[];
  /** The account whose access token came: only who has signed in with a password may change it. */
  readonly account?: Account | undefined;
}

/** A user who has signed in, with what only this package needs. */
export interface Account {
  readonly record: UserRecord;
  readonly claims: TokenClaims;
}

/** What a request carries to say who sends it. */
export interface Credential {
  /** A browser sends a cookie whether it means to or not. */
  readonly through: "header" | "cookie";
  /** @throws {HttpError} 401 when it is not accepted */
  prove(): Promise<SignedIn>;
}

/** One kind of credential: what of it a request carries, if anything. Only a library's session is asked for meanwhile. */
export type CredentialKind = (request: Request) => Credential | undefined | Promise<Credential | undefined>;

/** What a request carries: of the kinds in a row the first that knows it, so that no other is tried. */
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

/** What is known of a user who may act with all of their rights. */
export function signedInAs(record: UserRecord): Omit<SignedIn, "account"> {
  const { id, roles, isSuperUser, user, permissions } = record;
  return { caller: Object.freeze({ id, roles, isSuperUser, user }), permissions };
}
