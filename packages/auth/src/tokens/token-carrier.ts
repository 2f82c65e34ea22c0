import type { CookieOptions, Request, Response } from "express";
import type { AuthSettings } from "../settings.js";
import type { AccessToken } from "./access-token.js";
import { readCookie } from "./read-cookie.js";

/** The token of a request, and how it came. */
export interface CarriedToken {
  /** `undefined` for a header that holds none. */
  readonly token: string | undefined;
  readonly through: "header" | "cookie";
}

const cookieName = "access_token";

/** No token of ours is longer, and nothing longer is looked at. */
const longestToken = 4096;

/**
 * Reads the token of a request. The header wins, and one that is broken is not made good by a cookie (contract C23).
 *
 * @returns `undefined` when the request carries none
 */
export function readToken(request: Request): CarriedToken | undefined {
  const { authorization, cookie } = request.headers;
  if (authorization !== undefined) {
    const [, token] = /^Bearer +([\w.~+/-]+=*) *$/i.exec(authorization) ?? [];
    return { token: fitting(token), through: "header" };
  }
  const token = cookie === undefined ? undefined : readCookie(cookie, cookieName);
  return token === undefined ? undefined : { token: fitting(token), through: "cookie" };
}

const fitting = (token: string | undefined): string | undefined =>
  token !== undefined && token.length <= longestToken ? token : undefined;

/** Gives the browser the token as a cookie. */
export function setTokenCookie(response: Response, { token }: AccessToken, jwt: AuthSettings["jwt"]): void {
  response.cookie(cookieName, token, { ...cookieOptions(jwt), maxAge: jwt.lifetime * 1000 });
}

/** Takes the cookie back from the browser. */
export function clearTokenCookie(response: Response, jwt: AuthSettings["jwt"]): void {
  response.clearCookie(cookieName, cookieOptions(jwt));
}

/** Where the cookies of a user go. */
export function cookieOptions({ cookie }: AuthSettings["jwt"]): CookieOptions {
  return { path: "/", httpOnly: cookie.httpOnly, secure: cookie.secure, sameSite: cookie.sameSite };
}
