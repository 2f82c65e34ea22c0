import { createHmac, createSecretKey, type KeyObject, randomUUID, timingSafeEqual } from "node:crypto";
import { jwtVerify, SignJWT } from "jose";
import { LRUCache } from "lru-cache";
import type { AuthSettings } from "../configuration/auth-config.js";
import type { UserRecord } from "../users/user-store.js";

/** The claims of a verified token (contract C23). */
export interface TokenClaims {
  /** The id of the user, as a string. */
  readonly sub: string;
  readonly jti: string;
  /** The session that it belongs to; absent without sessions. */
  readonly sid?: string;
  /** Seconds since 1970. */
  readonly iat: number;
  /** Seconds since 1970. */
  readonly exp: number;
  /** Whether the token was issued for the user's current password. */
  fits(user: UserRecord): boolean;
}

/** A new token. */
export interface AccessToken {
  readonly token: string;
  readonly expiresAt: Date;
  /** In seconds. */
  readonly lifetime: number;
}

/** Signs access tokens and verifies them. */
export interface AccessTokens {
  /** @param sid the session that it belongs to */
  sign(user: UserRecord, sid?: string): Promise<AccessToken>;
  /** The claims of a token; `undefined` for a rejected one, whatever the reason. */
  verify(token: string): Promise<TokenClaims | undefined>;
}

/** Cached verified tokens: verifying a signature again costs a hundred times as much. */
const remembered = 10_000;

const requiredClaims = ["sub", "iat", "exp", "jti", "pwd"];

/**
 * Creates the tokens of one service: JWTs signed with HS256 only. The claim `pwd` is derived from the stored hash, so
 * that a password change revokes every earlier token, even in the same second.
 */
export function makeAccessTokens({ secrets, lifetime, issuer, audience }: AuthSettings["jwt"]): AccessTokens {
  const keys = secrets.map((secret) => createSecretKey(Buffer.from(secret)));
  const verified = new LRUCache<string, TokenClaims>({ max: remembered });
  const options = {
    algorithms: ["HS256"],
    requiredClaims,
    ...(issuer === undefined ? {} : { issuer }),
    ...(audience === undefined ? {} : { audience }),
  };

  const verifyWith = async (token: string, key: KeyObject): Promise<TokenClaims | undefined> => {
    try {
      return readClaims((await jwtVerify(token, key, options)).payload, key);
    } catch {
      // Not only errors of the library: a header that names another kind of key makes it throw a TypeError.
      return undefined;
    }
  };

  return {
    async sign(user, sid) {
      const [key] = keys;
      if (key === undefined) throw new TypeError("No secret is configured to sign with.");
      const issuedAt = Math.floor(Date.now() / 1000);
      const expires = issuedAt + lifetime;
      const jwt = new SignJWT({ pwd: passwordFingerprint(user, key), ...(sid === undefined ? {} : { sid }) })
        .setProtectedHeader({ alg: "HS256", typ: "JWT" })
        .setSubject(String(user.id))
        .setJti(randomUUID())
        .setIssuedAt(issuedAt)
        .setExpirationTime(expires);
      if (issuer !== undefined) jwt.setIssuer(issuer);
      if (audience !== undefined) jwt.setAudience(audience);
      return { token: await jwt.sign(key), expiresAt: new Date(expires * 1000), lifetime };
    },
    async verify(token) {
      const known = verified.get(token);
      if (known !== undefined) {
        if (known.exp * 1000 > Date.now()) return known;
        verified.delete(token);
        return undefined;
      }
      for (const key of keys) {
        const claims = await verifyWith(token, key);
        if (claims === undefined) continue;
        verified.set(token, claims);
        return claims;
      }
      return undefined;
    },
  };
}

function readClaims(payload: Readonly<Record<string, unknown>>, key: KeyObject): TokenClaims | undefined {
  const { sub, jti, sid, iat, exp, pwd } = payload;
  if (!isText(sub) || !isText(jti) || !isText(pwd) || !isSecond(iat) || !isSecond(exp)) return undefined;
  if (sid !== undefined && !(isText(sid) && isUuid(sid))) return undefined;
  let fitting: Pick<UserRecord, "id" | "passwordHash"> | undefined;
  const fits = (user: UserRecord): boolean => {
    // The fingerprint depends on the hash only, so it is computed once per token.
    if (fitting !== undefined && fitting.id === user.id && fitting.passwordHash === user.passwordHash) return true;
    const isFitting = isEqual(pwd, passwordFingerprint(user, key));
    if (isFitting) fitting = { id: user.id, passwordHash: user.passwordHash };
    return isFitting;
  };
  return { sub, jti, iat, exp, fits, ...(sid === undefined ? {} : { sid }) };
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
const isUuid = (text: string): boolean => /^[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/.test(text);
const isSecond = (value: unknown): value is number => Number.isSafeInteger(value);

/** Changes with the stored hash and reveals nothing about it. */
function passwordFingerprint({ id, passwordHash }: UserRecord, key: KeyObject): string {
  return createHmac("sha256", key).update(`password\0${id}\0${passwordHash}`).digest("base64url");
}

function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
