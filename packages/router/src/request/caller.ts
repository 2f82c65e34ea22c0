import type { IncomingMessage } from "node:http";

/** Who makes a request, as the authentication step found out. */
export interface Caller {
  /** The id of the user, as the database has it. */
  readonly id: string | number | bigint;
  /** The names of the user's roles. */
  readonly roles: readonly string[];
  /** Whether the user passes every access check. */
  readonly isSuperUser: boolean;
  /** The user without hidden fields. */
  readonly user: Readonly<Record<string, unknown>>;
  /** The issuer of the caller's token, or `"identify"`, where the caller is no account of the service. */
  readonly namedBy?: string;
  /** The id of the API key that the request was made with; `undefined` for callers who have signed in. */
  readonly keyId?: string;
}

const caller = Symbol("servicekit.caller");

/** Tells every later step who makes the request; called by the authentication step. */
export function setCaller(request: IncomingMessage, value: Caller): void {
  Object.defineProperty(request, caller, { value, configurable: true });
}

/** Who makes the request; `undefined` for a request that no user signed. */
export function callerOf(request: IncomingMessage): Caller | undefined {
  return (request as IncomingMessage & { readonly [caller]?: Caller })[caller];
}

/**
 * The identity of a caller as one text: the issuer and the id, since ids of different issuers can be equal (contract C86).
 * Store it, or compare it, wherever something belongs to a caller of any issuer.
 */
export const identityOf = ({ id, namedBy }: Caller): string => JSON.stringify([namedBy ?? null, String(id)]);

/**
 * The id of the user that makes the request, as the model `User` has it; `undefined` for anonymous requests and for callers
 * of other issuers, whose ids name no user of the service. For row rules and hooks that compare it with a foreign key.
 */
export function userIdOf(request: IncomingMessage): Caller["id"] | undefined {
  const caller = callerOf(request);
  return caller?.namedBy === undefined ? caller?.id : undefined;
}
