import type { Sessions } from "../credentials/sessions.js";
import { invalidToken } from "../errors.js";
import type { AccessTokens, TokenClaims } from "../tokens/access-token.js";
import type { RevokedTokens } from "../tokens/revoked-tokens.js";
import { readToken } from "../tokens/token-carrier.js";
import type { UserRecord, UserStore } from "../users/user-store.js";
import { type Account, type CredentialKind, signedInAs } from "./read-credential.js";

/** What access tokens are held against. */
export interface AccessTokenParts {
  readonly tokens: AccessTokens;
  readonly users: UserStore;
  readonly revoked: RevokedTokens;
  /** `undefined` where a token stands for itself until it expires or is revoked. */
  readonly sessions: Sessions<UserRecord> | undefined;
}

/** Our own access tokens, in the header or in the cookie. Whatever stands in `Authorization` is meant for it: stand it last. */
export function makeAccessTokenKind({ tokens, users, revoked, sessions }: AccessTokenParts): CredentialKind {
  /** The user of a token that was not ended; a token from the time before sessions, or after it, is over. */
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
      prove: async () => {
        const account = await verify(token);
        return { ...signedInAs(account.record), account };
      },
    };
  };
}

/** Whoever sets `passwordChangedAt` ends the tokens from before; a token of the same second is told by its mark. */
function isFromBefore({ iat }: TokenClaims, { passwordChangedAt }: UserRecord): boolean {
  return passwordChangedAt != null && iat < Math.floor(passwordChangedAt.getTime() / 1000);
}
