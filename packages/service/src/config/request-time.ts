import type { Server } from "node:http";
import type { Logger } from "pino";
import type { ServiceSettings } from "./settings.js";

/**
 * How long a request has, in milliseconds, after `configureServer` had the server (specification, "Limits"): what
 * `timeouts.request` says, and where it says nothing the greatest of its default and the server's own limits. What counts is
 * logged with the key that says it better.
 */
export function readRequestTime(
  server: Pick<Server, "timeout" | "requestTimeout">,
  { timeouts: { request }, isRequestTimeConfigured }: Pick<ServiceSettings, "timeouts" | "isRequestTimeConfigured">,
  logger: Pick<Logger, "warn">,
): number {
  const [name, told] =
    server.timeout > server.requestTimeout
      ? (["setTimeout", server.timeout] as const)
      : (["requestTimeout", server.requestTimeout] as const);
  if (told <= request) return request;
  if (isRequestTimeConfigured) {
    logger.warn(
      `configureServer sets ${name} to ${told} ms, but timeouts.request says ${request} ms: requests have ${request} ms.`,
    );
    return request;
  }
  logger.warn(
    `configureServer sets ${name} to ${told} ms: requests have as long. Say timeouts.request: ${told} in the configuration.`,
  );
  return told;
}
