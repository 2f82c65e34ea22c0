import { authErrors } from "../errors.js";

/** Stores which tokens were revoked, until they would have expired (contract C28). */
export interface RevokedTokens {
  /**
   * Revokes a token.
   *
   * @param expires when the token expires, in seconds since 1970
   */
  add(jti: string, expires: number): Promise<void> | void;
  /** Returns whether a token is revoked. */
  has(jti: string): Promise<boolean> | boolean;
}

/** The required operations of Redis, or of any other shared store. */
export interface ExpiringStore {
  /** Returns the value of a key; `null` or `undefined` if it does not exist or has expired. */
  get(key: string): Promise<string | null | undefined>;
  /**
   * Stores a value.
   *
   * @param seconds the time until the key expires
   */
  set(key: string, value: string, seconds: number): Promise<unknown>;
}

/** The number of additions after which expired entries are removed. */
const sweepEvery = 1000;

/** Stores them in this process: for one instance. */
export function makeRevokedTokens(): RevokedTokens {
  const expiries = new Map<string, number>();
  let additions = 0;
  return {
    add(jti, expires) {
      expiries.set(jti, expires);
      if (++additions % sweepEvery !== 0) return;
      const now = Date.now() / 1000;
      for (const [known, end] of expiries) if (end <= now) expiries.delete(known);
    },
    has: (jti) => expiries.has(jti),
  };
}

/**
 * Stores them in a shared store, which all instances read. While the store is unavailable, tokens are rejected with
 * 503, because one of them may be revoked.
 */
export function makeSharedRevokedTokens(store: ExpiringStore): RevokedTokens {
  const keyOf = (jti: string): string => `servicekit:revoked:${jti}`;
  return {
    async add(jti, expires) {
      const seconds = Math.ceil(expires - Date.now() / 1000);
      if (seconds > 0) await orUnavailable(store.set(keyOf(jti), "1", seconds));
    },
    has: async (jti) => (await orUnavailable(store.get(keyOf(jti)))) != null,
  };
}

async function orUnavailable<Result>(result: Promise<Result>): Promise<Result> {
  try {
    return await result;
  } catch (cause) {
    throw authErrors.TokensUnavailable(undefined, { cause, headers: { "Retry-After": "5" } });
  }
}
