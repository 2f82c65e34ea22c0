import type { CredentialKind } from "../authentication/read-credential.js";
import type { Identify } from "../configuration/external-caller.js";
import { invalidToken } from "../errors.js";
import { carriesBearer } from "../tokens/token-carrier.js";
import { toSignedIn } from "./to-signed-in.js";

/**
 * The caller that another library identifies. Without `Authorization: Bearer` it may be a cookie, which the browser
 * sends automatically, like HTTP Basic credentials: so it is rejected across sites, as our own is.
 */
export function makeIdentifyKind(identify: Identify): CredentialKind {
  return async (request) => {
    const named = await identify(request);
    if (named === undefined || named === null) return undefined;
    const through = carriesBearer(request) ? "header" : "cookie";
    return { through, verify: async () => toSignedIn(named, undefined) };
  };
}

/** Without accounts, a bearer token of an unknown issuer is rejected and does not make the request anonymous. */
export const rejectionKind: CredentialKind = (request) =>
  carriesBearer(request) ? { through: "header", verify: () => Promise.reject(invalidToken()) } : undefined;
