import type { IncomingMessage } from "node:http";

/** The caller of a request, as determined by the authentication step. */
export interface Caller {
  /** The id of the user, as in the database. */
  readonly id: string | number | bigint;
  /** The names of the user's roles. */
  readonly roles: readonly string[];
  /** Whether the user passes every access check. */
  readonly isSuperUser: boolean;
  /** The user without hidden fields. */
  readonly user: Readonly<Record<string, unknown>>;
  /** The issuer of the caller's token, or `"identify"`, if the caller has no account in this service. */
  readonly identifiedBy?: string;
  /** The id of the API key of the request; `undefined` for signed-in callers. */
  readonly keyId?: string;
}

const caller = Symbol("servicekit.caller");
const missingUser = Symbol("servicekit.missingUser");

/**
 * Sets the caller of a request for later steps; called by the authentication step.
 *
 * @param onMissingUser called when {@link userIdOf} finds a caller without an account
 */
export function setCaller(request: IncomingMessage, value: Caller, onMissingUser?: () => void): void {
  Object.defineProperty(request, caller, { value, configurable: true });
  Object.defineProperty(request, missingUser, { value: onMissingUser, configurable: true });
}

/** The caller of a request; `undefined` for an anonymous one. */
export function callerOf(request: IncomingMessage): Caller | undefined {
  return (request as IncomingMessage & { readonly [caller]?: Caller })[caller];
}

/**
 * The identity of a caller as one string: the issuer and the id, because ids of different issuers can be equal
 * (contract C86). Store or compare it wherever something belongs to a caller of any issuer.
 */
export const identityOf = ({ id, identifiedBy }: Caller): string => JSON.stringify([identifiedBy ?? null, String(id)]);

/**
 * The id of the request's user in the model `User`; `undefined` for anonymous requests and for callers of external
 * issuers, whose ids identify no user of the service. For row rules and hooks that compare it with a foreign key.
 */
export function userIdOf(request: IncomingMessage): Caller["id"] | undefined {
  if (callerOf(request)?.identifiedBy !== undefined)
    (request as IncomingMessage & { readonly [missingUser]?: () => void })[missingUser]?.();
  return accountIdOf(request);
}

/** The same for code that does not expect an account. */
export function accountIdOf(request: IncomingMessage): Caller["id"] | undefined {
  const caller = callerOf(request);
  return caller?.identifiedBy === undefined ? caller?.id : undefined;
}
