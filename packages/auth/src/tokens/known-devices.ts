import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Request, Response } from "express";
import type { AuthSettings } from "../configuration/auth-config.js";
import type { UserRecord } from "../users/user-store.js";
import { readCookie } from "./read-cookie.js";
import { cookieOptions } from "./token-carrier.js";

/** A device that somebody has signed in from. */
export interface KnownDevice {
  /** A random text, another one with each login. */
  readonly id: string;
  /** Whether this user has signed in from it, with the password that the user has now. */
  isOf(user: UserRecord): boolean;
}

/**
 * Remembers in a cookie who has signed in from a device, so that failures elsewhere do not keep them out (contract C60). It
 * proves nothing else: no route takes it for a token, since its keys are its own.
 */
export interface KnownDevices {
  /** Marks the device of somebody who has just shown a password. */
  mark(user: UserRecord, response: Response): void;
  /** The device of a request; `undefined` for one that was never marked, or too long ago. Nothing is read for it. */
  of(request: Request): KnownDevice | undefined;
}

const cookieName = "known_device";

/** In seconds: a year. */
const lifetime = 31_536_000;

/** Makes the cookies of one service. A change of the password ends them, as does a secret that is taken away. */
export function makeKnownDevices(jwt: AuthSettings["jwt"]): KnownDevices {
  const keys = jwt.secrets.map((secret) => createHmac("sha256", secret).update("servicekit known device").digest());
  const mac = (key: Buffer, ...parts: readonly unknown[]): string =>
    createHmac("sha256", key).update(JSON.stringify(parts)).digest("base64url");
  const userMark = (key: Buffer, id: string, user: UserRecord): string =>
    mac(key, "user", id, String(user.id), user.passwordHash);
  const signature = (key: Buffer, id: string, expires: number, mark: string): string =>
    mac(key, "device", id, expires, mark);

  return {
    mark(user, response) {
      const [key] = keys;
      if (key === undefined) throw new TypeError("There is no secret to sign with.");
      const id = randomBytes(16).toString("base64url");
      const expires = Math.floor(Date.now() / 1000) + lifetime;
      const mark = userMark(key, id, user);
      const value = [id, expires, mark, signature(key, id, expires, mark)].join(".");
      // Whatever holds for the access token: no script has a use for this one.
      response.cookie(cookieName, value, { ...cookieOptions(jwt), httpOnly: true, maxAge: lifetime * 1000 });
    },
    of(request) {
      const { cookie } = request.headers;
      const value = cookie === undefined ? undefined : readCookie(cookie, cookieName);
      const [, id, seconds, mark, signed] =
        /^([\w-]{22})\.(\d{1,12})\.([\w-]{43})\.([\w-]{43})$/.exec(value ?? "") ?? [];
      if (id === undefined || mark === undefined || signed === undefined) return undefined;
      const expires = Number(seconds);
      if (expires * 1000 <= Date.now()) return undefined;
      const key = keys.find((one) => isEqual(signed, signature(one, id, expires, mark)));
      return key && { id, isOf: (user) => isEqual(mark, userMark(key, id, user)) };
    },
  };
}

function isEqual(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
