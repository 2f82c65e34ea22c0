import type { Sessions } from "../credentials/sessions.js";
import { invalidToken } from "../errors.js";
import type { AccessTokens, TokenClaims } from "../tokens/access-token.js";
import type { RevokedTokens } from "../tokens/revoked-tokens.js";
import { readToken } from "../tokens/token-carrier.js";
import type { UserRecord, UserStore } from "../users/user-store.js";
import { type Account, type CredentialKind, signedInAs } from "./read-credential.js";

/** The dependencies of the access token check. */
export interface AccessTokenParts {
  readonly tokens: AccessTokens;
  readonly users: UserStore;
  readonly revoked: RevokedTokens;
  /** `undefined` if a token is valid until it expires or is revoked. */
  readonly sessions: Sessions<UserRecord> | undefined;
}

/**
 * Access tokens of this service, in the header or the cookie. They claim every `Authorization` header, so this kind
 * must be the last.
 */
export function makeAccessTokenKind({ tokens, users, revoked, sessions }: AccessTokenParts): CredentialKind {
  /** The user of a valid token; a token of the time before sessions, or after it, is rejected. */
  const userOf = async ({ sub, jti, sid }: TokenClaims): Promise<UserRecord | undefined> => {
    if (sessions !== undefined) {
      const record = sid === undefined ? undefined : await sessions.userOf(sid);
      return record !== undefined && String(record.id) === sub ? record : undefined;
    }
    if (sid !== undefined) return undefined;
    const [isRevoked, record] = await Promise.all([revoked.has(jti), users.findById(sub)]);
    return isRevoked ? undefined : record;
  };
  const verify = async (token: string | undefined): Promise<Account> => {
    const claims = token === undefined ? undefined : await tokens.verify(token);
    if (claims === undefined) throw invalidToken();
    const record = await userOf(claims);
    if (record === undefined || !record.isActive) throw invalidToken();
    if (isFromBefore(claims, record) || !claims.fits(record)) throw invalidToken();
    return { record, claims };
  };
  return (request) => {
    const carried = readToken(request);
    if (carried === undefined) return undefined;
    const { token, through } = carried;
    return {
      through,
      verify: async () => {
        const account = await verify(token);
        return { ...signedInAs(account.record), account };
      },
    };
  };
}

/** A change of `passwordChangedAt` revokes earlier tokens; a token of the same second is identified by its fingerprint. */
function isFromBefore({ iat }: TokenClaims, { passwordChangedAt }: UserRecord): boolean {
  return passwordChangedAt != null && iat < Math.floor(passwordChangedAt.getTime() / 1000);
}
