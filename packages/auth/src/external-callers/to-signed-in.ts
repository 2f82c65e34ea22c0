import type { Caller } from "@servicekit/router";
import type { SignedIn } from "../authentication/read-credential.js";
import type { ExternalCaller } from "../configuration/external-caller.js";

/**
 * Validates a caller that a function returned.
 *
 * @param by the issuer of the token; `undefined` for a session of another library
 * @throws {TypeError} for an invalid caller, which is a bug of the function
 */
export function toSignedIn(named: ExternalCaller, by: string | undefined): SignedIn {
  const { id, roles = [], isSuperUser = false, permissions = [], user = {} } = named;
  const source = `${by === undefined ? "identify" : `The function caller of the issuer ${by}`} returned a caller`;
  const isId = typeof id === "bigint" || Number.isSafeInteger(id) || (typeof id === "string" && id !== "");
  if (!isId) throw new TypeError(`${source} without an id: expected a string, an integer or a bigint.`);
  if (!Array.isArray(roles) || roles.some((role) => typeof role !== "string"))
    throw new TypeError(`${source} whose roles are not a list of strings.`);
  if (typeof isSuperUser !== "boolean") throw new TypeError(`${source} whose isSuperUser is not a boolean.`);
  const caller: Caller = { id, roles: Object.freeze([...roles]), isSuperUser, user, identifiedBy: by ?? "identify" };
  return { caller: Object.freeze(caller), permissions };
}
