import type { Request, RequestHandler } from "express";
import { authErrors } from "../errors.js";

const safeMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Rejects a request of a page of another origin with the user's cookie (contract C31): by the browser's
 * `Sec-Fetch-Site`, otherwise by the origin. A client that sends neither is not a browser.
 *
 * @throws {HttpError} 403 `CrossSiteRequest`
 */
export function rejectCrossSite(request: Request, allowedOrigins: ReadonlySet<string>): void {
  if (safeMethods.has(request.method)) return;
  const { origin } = request.headers;
  const site = request.headers["sec-fetch-site"];
  if (site === "same-origin" || site === "none") return;
  if (origin !== undefined && allowedOrigins.has(origin)) return;
  if (site === undefined && (origin === undefined || isOwnOrigin(origin, request))) return;
  throw authErrors.CrossSiteRequest();
}

/**
 * Rejects every request from a page of another origin, for endpoints that set cookies: a browser with the cookies of
 * another user would act in the wrong account.
 */
export function ownSiteOnly(allowedOrigins: ReadonlySet<string>): RequestHandler {
  return function ownSiteOnly(request, _response, next) {
    rejectCrossSite(request, allowedOrigins);
    next();
  };
}

/** By the host only: behind a proxy that terminates TLS, the scheme is unknown. */
function isOwnOrigin(origin: string, request: Request): boolean {
  return URL.canParse(origin) && new URL(origin).host !== "" && new URL(origin).host === request.host?.toLowerCase();
}
