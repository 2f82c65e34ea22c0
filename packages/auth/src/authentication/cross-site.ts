import type { Request, RequestHandler } from "express";
import { authErrors } from "../errors.js";

const safeMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Refuses a request that a page of a foreign origin makes with the user's cookie (contract C31): by what the browser says
 * of the page (`Sec-Fetch-Site`), else by the origin. A client that says neither is no browser.
 *
 * @throws {HttpError} 403 `CrossSiteRequest`
 */
export function refuseCrossSite(request: Request, allowedOrigins: ReadonlySet<string>): void {
  if (safeMethods.has(request.method)) return;
  const { origin } = request.headers;
  const site = request.headers["sec-fetch-site"];
  if (site === "same-origin" || site === "none") return;
  if (origin !== undefined && allowedOrigins.has(origin)) return;
  if (site === undefined && (origin === undefined || isOwnOrigin(origin, request))) return;
  throw authErrors.CrossSiteRequest();
}

/**
 * Refuses every request from a page of a foreign origin, for endpoints that set the cookies of a user: a browser that gets
 * those of another user acts in the wrong account.
 */
export function ownSiteOnly(allowedOrigins: ReadonlySet<string>): RequestHandler {
  return function ownSiteOnly(request, _response, next) {
    refuseCrossSite(request, allowedOrigins);
    next();
  };
}

/** By the host alone: behind a proxy that ends TLS the scheme is not known here. */
function isOwnOrigin(origin: string, request: Request): boolean {
  return URL.canParse(origin) && new URL(origin).host !== "" && new URL(origin).host === request.host?.toLowerCase();
}
