import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Owner } from "./owner.js";

/** A refresh token that we have made, though it may not be good any more. */
export interface RefreshToken {
  readonly text: string;
  readonly sessionId: string;
  /** SHA-256, as it is stored. */
  readonly hash: string;
}

/** A {@link RefreshToken} that somebody has sent. */
export interface SentRefreshToken extends RefreshToken {
  /** Whether it was made for the password that the user has now. */
  fits(user: Owner): boolean;
}

/** Makes and reads refresh tokens: `session.secret.mark.seal`, each part of which is sealed by the last. */
export interface RefreshTokens {
  /** A token of its own for a session. */
  make(sessionId: string, user: Owner): RefreshToken;
  /** The token that follows a token: always the same, so that two tabs that ask at once are given one. */
  next(token: RefreshToken, user: Owner): RefreshToken;
  /** `undefined` for what we have not made: nothing is read for it, and it ends no session. */
  read(text: string): SentRefreshToken | undefined;
}

/** Makes the refresh tokens of one service; their keys are derived, so that none of them is ever another token. */
export function makeRefreshTokens(secrets: readonly string[]): RefreshTokens {
  const keys = secrets.map((secret) => createHmac("sha256", secret).update("servicekit refresh token").digest());
  const mac = (key: Buffer | undefined, ...parts: readonly unknown[]): string => {
    if (key === undefined) throw new TypeError("There is no secret to sign with.");
    return createHmac("sha256", key).update(JSON.stringify(parts)).digest("base64url");
  };
  const markOf = (key: Buffer | undefined, { id, passwordHash }: Owner): string =>
    mac(key, "password", String(id), passwordHash);
  const write = (sessionId: string, secret: string, user: Owner): RefreshToken => {
    const [key] = keys;
    const body = `${sessionId}.${secret}.${markOf(key, user)}`;
    const text = `${body}.${mac(key, "seal", body)}`;
    return { text, sessionId, hash: hashOf(text) };
  };
  return {
    make: (sessionId, user) => write(sessionId, randomBytes(32).toString("base64url"), user),
    next: ({ text, sessionId }, user) => write(sessionId, mac(keys[0], "next", text), user),
    read(text) {
      const [, sessionId, secret, mark, seal] = shape.exec(text) ?? [];
      if (sessionId === undefined || mark === undefined || seal === undefined) return undefined;
      const key = keys.find((one) => isEqual(seal, mac(one, "seal", `${sessionId}.${secret}.${mark}`)));
      if (key === undefined) return undefined;
      return { text, sessionId, hash: hashOf(text), fits: (user) => isEqual(mark, markOf(key, user)) };
    },
  };
}

const shape = /^([\da-f-]{36})\.([\w-]{43})\.([\w-]{43})\.([\w-]{43})$/;

const hashOf = (text: string): string => createHash("sha256").update(text).digest("base64url");

const isEqual = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
