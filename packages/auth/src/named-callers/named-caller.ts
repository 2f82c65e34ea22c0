import type { Caller } from "@servicekit/router";
import type { SignedIn } from "../read-credential.js";
import type { Permission } from "../users/user-store.js";

/** A caller as somebody else than this service names him. */
export interface NamedCaller {
  /** Who it is: the id that row rules and logs see, such as that of a row of yours. */
  readonly id: string | number | bigint;
  /** @default none */
  readonly roles?: readonly string[];
  /** Whether the caller passes every access check. @default false */
  readonly isSuperUser?: boolean;
  /** What the caller may do, in dynamic mode. @default nothing */
  readonly permissions?: readonly Permission[];
  /** What handlers find as `request.user`, and hooks and row rules as `callerOf(request).user`. @default {} */
  readonly user?: Readonly<Record<string, unknown>>;
}

/**
 * The caller that somebody has named.
 *
 * @param by the issuer of the token; `undefined` for a session of another library
 * @throws {TypeError} for what names nobody: a fault of the function that named him
 */
export function toSignedIn(named: NamedCaller, by: string | undefined): SignedIn {
  const { id, roles = [], isSuperUser = false, permissions = [], user = {} } = named;
  const isId = typeof id === "bigint" || Number.isSafeInteger(id) || (typeof id === "string" && id !== "");
  if (!isId) throw new TypeError("A caller was named without an id: a text, a whole number or a bigint.");
  if (!Array.isArray(roles) || roles.some((role) => typeof role !== "string"))
    throw new TypeError("A caller was named whose roles are no list of texts.");
  if (typeof isSuperUser !== "boolean") throw new TypeError("A caller was named whose isSuperUser is no boolean.");
  const caller: Caller = { id, roles: Object.freeze([...roles]), isSuperUser, user, namedBy: by ?? "identify" };
  return { caller: Object.freeze(caller), permissions };
}
