import type { RequestHandler } from "express";
import type { Logger } from "pino";
import type { ServiceSettings } from "../config/settings.js";

/**
 * Warns, once each, if limits by client address are ineffective: every proxy is trusted, so that a client can forge its
 * address; or there is a proxy without configuration, so that all clients count as one.
 */
export function warnOfProxies(trust: ServiceSettings["trustProxy"], logger: Logger): RequestHandler[] {
  if (trust === true) {
    logger.warn(
      "trustProxy is true: a client that reaches the service without the proxy can forge its address. Set the number of proxies, or their addresses.",
    );
  }
  if (trust !== undefined) return [];
  let isReported = false;
  return [
    function watchForProxy(request, _response, next) {
      if (!isReported && request.headers["x-forwarded-for"] !== undefined) {
        isReported = true;
        logger.warn(
          "a request had X-Forwarded-For but no proxy is trusted: behind a proxy, all clients share one address. Set trustProxy (TRUST_PROXY), or false if there is no proxy.",
        );
      }
      next();
    },
  ];
}
