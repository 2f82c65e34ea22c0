import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Owner } from "./owner.js";

/** A refresh token that this service issued, which may have expired. */
export interface RefreshToken {
  readonly text: string;
  readonly sessionId: string;
  /** SHA-256, as stored. */
  readonly hash: string;
}

/** A received {@link RefreshToken}. */
export interface SentRefreshToken extends RefreshToken {
  /** Whether it was issued for the user's current password. */
  fits(user: Owner): boolean;
}

/** Creates and parses refresh tokens: `session.secret.fingerprint.seal`, where the seal signs the other parts. */
export interface RefreshTokens {
  /** A new token for a session. */
  make(sessionId: string, user: Owner): RefreshToken;
  /** The successor of a token: always the same, so that two tabs that refresh concurrently get one. */
  next(token: RefreshToken, user: Owner): RefreshToken;
  /** `undefined` for a token that this service did not issue: nothing is read for it, and it ends no session. */
  read(text: string): SentRefreshToken | undefined;
}

/**
 * Creates the refresh tokens of one service; their keys are derived, so that they are never valid as another kind of
 * token.
 */
export function makeRefreshTokens(secrets: readonly string[]): RefreshTokens {
  const keys = secrets.map((secret) => createHmac("sha256", secret).update("servicekit refresh token").digest());
  const mac = (key: Buffer | undefined, ...parts: readonly unknown[]): string => {
    if (key === undefined) throw new TypeError("No secret is configured to sign with.");
    return createHmac("sha256", key).update(JSON.stringify(parts)).digest("base64url");
  };
  const fingerprintOf = (key: Buffer | undefined, { id, passwordHash }: Owner): string =>
    mac(key, "password", String(id), passwordHash);
  const write = (sessionId: string, secret: string, user: Owner): RefreshToken => {
    const [key] = keys;
    const body = `${sessionId}.${secret}.${fingerprintOf(key, user)}`;
    const text = `${body}.${mac(key, "seal", body)}`;
    return { text, sessionId, hash: hashOf(text) };
  };
  return {
    make: (sessionId, user) => write(sessionId, randomBytes(32).toString("base64url"), user),
    next: ({ text, sessionId }, user) => write(sessionId, mac(keys[0], "next", text), user),
    read(text) {
      const [, sessionId, secret, fingerprint, seal] = shape.exec(text) ?? [];
      if (sessionId === undefined || fingerprint === undefined || seal === undefined) return undefined;
      const key = keys.find((one) => isEqual(seal, mac(one, "seal", `${sessionId}.${secret}.${fingerprint}`)));
      if (key === undefined) return undefined;
      return { text, sessionId, hash: hashOf(text), fits: (user) => isEqual(fingerprint, fingerprintOf(key, user)) };
    },
  };
}

const shape = /^([\da-f-]{36})\.([\w-]{43})\.([\w-]{43})\.([\w-]{43})$/;

const hashOf = (text: string): string => createHash("sha256").update(text).digest("base64url");

const isEqual = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
