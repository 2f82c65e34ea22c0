import { readCookie } from "@servicekit/router/internal";
import type { CookieOptions, Request, Response } from "express";
import type { AuthSettings } from "../configuration/auth-config.js";
import type { AccessToken } from "./access-token.js";

/** The token of a request, and where it was. */
export interface CarriedToken {
  /** `undefined` for a header without one. */
  readonly token: string | undefined;
  readonly through: "header" | "cookie";
}

const cookieName = "access_token";

/** Our tokens are never longer, and longer ones are ignored. */
const longestToken = 4096;

/**
 * Whether a request has `Authorization: Bearer`, well-formed or not: a space is easily forgotten. Other schemes belong
 * to other software, such as a proxy with HTTP Basic authentication, and are ignored by this service (contract C87).
 */
export const carriesBearer = ({ headers: { authorization } }: Pick<Request, "headers">): boolean =>
  authorization !== undefined && /^bearer/i.test(authorization);

/**
 * Reads the token of a request. `Authorization: Bearer` has precedence, and a malformed one is not replaced by a cookie
 * (contract C23); other schemes are ignored.
 *
 * @returns `undefined` if the request has none
 */
export function readToken(request: Request): CarriedToken | undefined {
  const { authorization, cookie } = request.headers;
  if (carriesBearer(request)) {
    const [, token] = /^Bearer +([\w.~+/-]+=*) *$/i.exec(authorization ?? "") ?? [];
    return { token: fitting(token), through: "header" };
  }
  const token = cookie === undefined ? undefined : readCookie(cookie, cookieName);
  return token === undefined ? undefined : { token: fitting(token), through: "cookie" };
}

const fitting = (token: string | undefined): string | undefined =>
  token !== undefined && token.length <= longestToken ? token : undefined;

/** Sets the token as a cookie. */
export function setTokenCookie(response: Response, { token, lifetime }: AccessToken, jwt: AuthSettings["jwt"]): void {
  response.cookie(cookieName, token, { ...cookieOptions(jwt), maxAge: lifetime * 1000 });
}

/**
 * A browser accepts the prefix only from the host itself, over HTTPS and for all its paths (RFC 6265bis, section
 * 4.1.3.2).
 */
const refreshCookieName = ({ cookie }: AuthSettings["jwt"]): string =>
  cookie.secure ? "__Host-refresh_token" : "refresh_token";

/** Scripts do not need it. */
const refreshCookieOptions = (jwt: AuthSettings["jwt"]): CookieOptions => ({ ...cookieOptions(jwt), httpOnly: true });

/** Sets the refresh token as a cookie. */
export function setRefreshCookie(response: Response, token: string, expires: Date, jwt: AuthSettings["jwt"]): void {
  const maxAge = Math.max(0, Math.ceil((expires.getTime() - Date.now()) / 1000) * 1000);
  response.cookie(refreshCookieName(jwt), token, { ...refreshCookieOptions(jwt), maxAge });
}

/** The refresh token in the cookie of a request. */
export function readRefreshCookie({ headers: { cookie } }: Request, jwt: AuthSettings["jwt"]): string | undefined {
  return cookie === undefined ? undefined : readCookie(cookie, refreshCookieName(jwt));
}

/** Deletes the cookies. */
export function clearCookies(response: Response, jwt: AuthSettings["jwt"], hasSessions = false): void {
  response.clearCookie(cookieName, cookieOptions(jwt));
  if (hasSessions) response.clearCookie(refreshCookieName(jwt), refreshCookieOptions(jwt));
}

/** The path of the cookies. */
export function cookieOptions({ cookie }: AuthSettings["jwt"]): CookieOptions {
  return { path: "/", httpOnly: cookie.httpOnly, secure: cookie.secure, sameSite: cookie.sameSite };
}
