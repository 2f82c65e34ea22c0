import type { Caller } from "@servicekit/router";
import type { SignedIn } from "../authentication/read-credential.js";
import type { NamedCaller } from "../configuration/named-caller.js";

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
