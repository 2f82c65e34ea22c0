import { createHmac, timingSafeEqual } from "node:crypto";
import type { UserRecord } from "../users/user-store.js";

/** The purpose of a token in an email. */
export type MailPurpose = "reset-password" | "verify-email";

/** Tokens in emails: nothing of them is stored, and each becomes invalid by its use (contract C32). */
export interface MailTokens {
  make(purpose: MailPurpose, user: UserRecord): string;
  /**
   * The id of the token's user; `undefined` if it was not issued here or has expired, so that nothing is read for it.
   * This does not verify that it is still valid.
   */
  userOf(token: string): string | undefined;
  /** Whether a token was issued for this purpose and for the user's current state. */
  fits(token: string, purpose: MailPurpose, user: UserRecord): boolean;
}

const lifetimes: Readonly<Record<MailPurpose, number>> = { "reset-password": 3600, "verify-email": 86_400 };

/**
 * Creates the email tokens of one service; their keys are derived, so that none of them is valid as an access token.
 */
export function makeMailTokens(secrets: readonly string[]): MailTokens {
  const keys = secrets.map((secret) => createHmac("sha256", secret).update("servicekit mail token").digest());

  const sign = (key: Buffer | undefined, purpose: MailPurpose, expires: number, user: UserRecord): Buffer => {
    if (key === undefined) throw new TypeError("No secret is configured to sign with.");
    // The signature covers what the use of a token changes.
    const state = purpose === "reset-password" ? [user.passwordHash] : [user.emailVerified];
    const parts = [purpose, expires, String(user.id), user.email, ...state];
    return createHmac("sha256", key).update(JSON.stringify(parts)).digest();
  };

  /** Verifies that a token was issued here, without its user. */
  const seal = (key: Buffer | undefined, token: string): string => {
    if (key === undefined) throw new TypeError("No secret is configured to sign with.");
    return createHmac("sha256", key).update(`token\0${token}`).digest("base64url");
  };

  return {
    make(purpose, user) {
      const expires = Math.floor(Date.now() / 1000) + lifetimes[purpose];
      const id = Buffer.from(String(user.id)).toString("base64url");
      const token = `${id}.${expires}.${sign(keys[0], purpose, expires, user).toString("base64url")}`;
      return `${token}.${seal(keys[0], token)}`;
    },
    userOf(token) {
      const parts = split(token);
      if (parts === undefined || parts.expires * 1000 <= Date.now()) return undefined;
      const { id, expires, mac } = parts;
      const given = Buffer.from(parts.seal);
      const isValid = keys.some((key) => timingSafeEqual(given, Buffer.from(seal(key, `${id}.${expires}.${mac}`))));
      return isValid ? Buffer.from(id, "base64url").toString() : undefined;
    },
    fits(token, purpose, user) {
      const parts = split(token);
      if (parts === undefined || parts.expires * 1000 <= Date.now()) return false;
      const given = Buffer.from(parts.mac, "base64url");
      return keys.some((key) => {
        const expected = sign(key, purpose, parts.expires, user);
        return given.length === expected.length && timingSafeEqual(given, expected);
      });
    },
  };
}

function split(token: string): { id: string; expires: number; mac: string; seal: string } | undefined {
  const [, id, expires, mac, seal] = /^([\w-]{1,400})\.(\d{1,12})\.([\w-]{43})\.([\w-]{43})$/.exec(token) ?? [];
  if (id === undefined || mac === undefined || seal === undefined) return undefined;
  return { id, expires: Number(expires), mac, seal };
}
