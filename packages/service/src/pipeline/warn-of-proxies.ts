import type { RequestHandler } from "express";
import type { Logger } from "pino";
import type { ServiceSettings } from "../config/settings.js";

/**
 * Warns, once each, of what makes limits by client address worthless: every proxy is trusted, so that a client may name
 * its own address; or a proxy is in front and nothing was said of it, so that all clients count as one.
 */
export function warnOfProxies(trust: ServiceSettings["trustProxy"], logger: Logger): RequestHandler[] {
  if (trust === true) {
    logger.warn(
      "trustProxy is true: whoever reaches the service without the proxy may name any address as its own. Give the number of proxies in front, or their addresses.",
    );
  }
  if (trust !== undefined) return [];
  let isTold = false;
  return [
    function watchForProxy(request, _response, next) {
      if (!isTold && request.headers["x-forwarded-for"] !== undefined) {
        isTold = true;
        logger.warn(
          "a request came with X-Forwarded-For and no proxy is trusted: behind a proxy all clients count as one. Set trustProxy (TRUST_PROXY), or false to say that there is none.",
        );
      }
      next();
    },
  ];
}
