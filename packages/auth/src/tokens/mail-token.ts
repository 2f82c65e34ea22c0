import { createHmac, timingSafeEqual } from "node:crypto";
import type { UserRecord } from "../users/user-store.js";

/** What a token in a mail is good for. */
export type MailPurpose = "reset-password" | "verify-email";

/** Tokens that travel in mails: nothing of them is stored, and each dies by its use (contract C32). */
export interface MailTokens {
  make(purpose: MailPurpose, user: UserRecord): string;
  /**
   * The id of the user that a token speaks of; `undefined` when it is none of ours or too old, so that nothing is read for
   * it. Whether it is good for anything is not proved by that.
   */
  userOf(token: string): string | undefined;
  /** Whether a token was made for this purpose and for the user as the user is now. */
  fits(token: string, purpose: MailPurpose, user: UserRecord): boolean;
}

const lifetimes: Readonly<Record<MailPurpose, number>> = { "reset-password": 3600, "verify-email": 86_400 };

/** Makes the mail tokens of one service; their keys are derived, so that none of them is ever an access token. */
export function makeMailTokens(secrets: readonly string[]): MailTokens {
  const keys = secrets.map((secret) => createHmac("sha256", secret).update("servicekit mail token").digest());

  const sign = (key: Buffer | undefined, purpose: MailPurpose, expires: number, user: UserRecord): Buffer => {
    if (key === undefined) throw new TypeError("There is no secret to sign with.");
    // What the use of a token changes is part of it.
    const state = purpose === "reset-password" ? [user.passwordHash] : [user.emailVerified];
    const parts = [purpose, expires, String(user.id), user.email, ...state];
    return createHmac("sha256", key).update(JSON.stringify(parts)).digest();
  };

  /** Shows that a token is ours without the user whom it speaks of. */
  const seal = (key: Buffer | undefined, token: string): string => {
    if (key === undefined) throw new TypeError("There is no secret to sign with.");
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
      const isOurs = keys.some((key) => timingSafeEqual(given, Buffer.from(seal(key, `${id}.${expires}.${mac}`))));
      return isOurs ? Buffer.from(id, "base64url").toString() : undefined;
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
