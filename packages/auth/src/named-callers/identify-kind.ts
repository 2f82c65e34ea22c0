import type { CredentialKind } from "../authentication/read-credential.js";
import type { Identify } from "../configuration/named-caller.js";
import { invalidToken } from "../errors.js";
import { carriesBearer } from "../tokens/token-carrier.js";
import { toSignedIn } from "./to-signed-in.js";

/**
 * The caller that another library knows. Without `Authorization: Bearer` it may be a browser's cookie, which the browser sends
 * by itself, as it does credentials of HTTP Basic: so it is refused across sites, as ours is.
 */
export function makeIdentifyKind(identify: Identify): CredentialKind {
  return async (request) => {
    const named = await identify(request);
    if (named === undefined || named === null) return undefined;
    const through = carriesBearer(request) ? "header" : "cookie";
    return { through, prove: async () => toSignedIn(named, undefined) };
  };
}

/** Where there are no accounts, a bearer token that no issuer knows is refused, and does not make the request anonymous. */
export const refusedKind: CredentialKind = (request) =>
  carriesBearer(request) ? { through: "header", prove: () => Promise.reject(invalidToken()) } : undefined;
