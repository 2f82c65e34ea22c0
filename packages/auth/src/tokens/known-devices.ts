import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { readCookie } from "@servicekit/router/internal";
import type { Request, Response } from "express";
import type { AuthSettings } from "../configuration/auth-config.js";
import type { UserRecord } from "../users/user-store.js";
import { cookieOptions } from "./token-carrier.js";

/** A device from which a user has signed in. */
export interface KnownDevice {
  /** A random string, new with each login. */
  readonly id: string;
  /** Whether this user has signed in from it with the current password. */
  isOf(user: UserRecord): boolean;
}

/**
 * Stores in a cookie which user has signed in from a device, so that failures elsewhere do not delay that user
 * (contract C60). It is no credential: no route accepts it as a token, because its keys are separate.
 */
export interface KnownDevices {
  /** Remembers the device of a user who has just given a password. */
  remember(user: UserRecord, response: Response): void;
  /** The device of a request; `undefined` for one that was never marked, or too long ago. Nothing is read for it. */
  of(request: Request): KnownDevice | undefined;
}

const cookieName = "known_device";

/** In seconds: a year. */
const lifetime = 31_536_000;

/** Creates the cookies of one service. A password change invalidates them, as does removing their secret. */
export function makeKnownDevices(jwt: AuthSettings["jwt"]): KnownDevices {
  const keys = jwt.secrets.map((secret) => createHmac("sha256", secret).update("servicekit known device").digest());
  const mac = (key: Buffer, ...parts: readonly unknown[]): string =>
    createHmac("sha256", key).update(JSON.stringify(parts)).digest("base64url");
  const userFingerprint = (key: Buffer, id: string, user: UserRecord): string =>
    mac(key, "user", id, String(user.id), user.passwordHash);
  const signature = (key: Buffer, id: string, expires: number, fingerprint: string): string =>
    mac(key, "device", id, expires, fingerprint);

  return {
    remember(user, response) {
      const [key] = keys;
      if (key === undefined) throw new TypeError("No secret is configured to sign with.");
      const id = randomBytes(16).toString("base64url");
      const expires = Math.floor(Date.now() / 1000) + lifetime;
      const fingerprint = userFingerprint(key, id, user);
      const value = [id, expires, fingerprint, signature(key, id, expires, fingerprint)].join(".");
      // The same attributes as the access token; scripts do not need this one.
      response.cookie(cookieName, value, { ...cookieOptions(jwt), httpOnly: true, maxAge: lifetime * 1000 });
    },
    of(request) {
      const { cookie } = request.headers;
      const value = cookie === undefined ? undefined : readCookie(cookie, cookieName);
      const [, id, seconds, fingerprint, signed] =
        /^([\w-]{22})\.(\d{1,12})\.([\w-]{43})\.([\w-]{43})$/.exec(value ?? "") ?? [];
      if (id === undefined || fingerprint === undefined || signed === undefined) return undefined;
      const expires = Number(seconds);
      if (expires * 1000 <= Date.now()) return undefined;
      const key = keys.find((one) => isEqual(signed, signature(one, id, expires, fingerprint)));
      return key && { id, isOf: (user) => isEqual(fingerprint, userFingerprint(key, id, user)) };
    },
  };
}

function isEqual(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
