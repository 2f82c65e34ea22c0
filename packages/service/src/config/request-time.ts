import type { Server } from "node:http";
import type { Logger } from "pino";
import type { ServiceSettings } from "./settings.js";

type ServerTimes = Pick<Server, "timeout" | "requestTimeout">;
type TimeSettings = Pick<ServiceSettings, "timeouts" | "isRequestTimeConfigured">;

/**
 * The time limit of a request in milliseconds (specification, "Limits"): `timeouts.request` if it is configured, otherwise
 * the greatest of its default and the limits that `configureServer` has set on the server.
 */
export function requestTime(
  { timeout, requestTimeout }: ServerTimes,
  { timeouts: { request }, isRequestTimeConfigured }: TimeSettings,
): number {
  return isRequestTimeConfigured ? request : Math.max(request, timeout, requestTimeout);
}

/** Logs a limit of `configureServer` that `timeouts.request` of the configuration overrides. */
export function warnOfServerTimeout(server: ServerTimes, settings: TimeSettings, logger: Pick<Logger, "warn">): void {
  const { request } = settings.timeouts;
  const [name, limit] =
    server.timeout > server.requestTimeout
      ? (["setTimeout", server.timeout] as const)
      : (["requestTimeout", server.requestTimeout] as const);
  if (!settings.isRequestTimeConfigured || limit <= request) return;
  logger.warn(
    `configureServer sets ${name} to ${limit} ms, but the time limit of requests is timeouts.request: ${request} ms.`,
  );
}
