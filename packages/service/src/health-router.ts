import type { Database } from "@servicekit/orm";
import { declareRoute, ServiceRouter, sendJson } from "@servicekit/router";
import type { RequestHandler } from "express";
import type { Logger } from "pino";
import type { Redis } from "./redis/open-redis.js";

/** One thing that must work for the service to be ready. */
export interface ReadinessCheck {
  readonly name: string;
  /** Whether the service is of no use without it; what is not vital is told only. */
  readonly isVital: boolean;
  /** Rejects with the reason when it does not work. */
  check(): Promise<void>;
}

/** What readiness depends on. */
export interface HealthOptions {
  readonly checks: readonly ReadinessCheck[];
  /** Whether the service is stopping. */
  readonly isDraining: () => boolean;
  readonly logger: Logger;
}

/** The database is ready when it answers a real query. */
export const databaseCheck = (database: Database): ReadinessCheck => ({
  name: "database",
  isVital: true,
  check: () => database.ping(),
});

/** Without Redis the service goes on, with limits of its own. */
export const redisCheck = (redis: Redis): ReadinessCheck => ({
  name: "redis",
  isVital: false,
  check: async () => {
    await redis.send("PING");
  },
});

/**
 * `GET /api/health/live` and `/api/health/ready` (contract C41). Ready means that every vital check answers and
 * the service is not stopping; the reason of a failure is in the log only.
 */
export function makeHealthRouter({ checks, isDraining, logger }: HealthOptions): ServiceRouter {
  const router = ServiceRouter();
  const declare = (name: string, handler: RequestHandler): void => {
    declareRoute(router, {
      method: "get",
      config: { path: `/health/${name}`, queryParser: false, validation: { body: false } },
      handlers: [handler],
      origin: { place: "the health routes", resource: "health", operation: name },
    });
  };
  declare("live", (_request, response) => sendJson(response, 200, { status: "live" }));
  declare("ready", async (_request, response) => {
    const results = await Promise.all(checks.map((check) => state(check, logger)));
    const isDown = results.some(([, up], index) => up === "down" && checks[index]?.isVital === true);
    const status = isDraining() ? "draining" : isDown ? "unavailable" : "ready";
    response.setHeader("Cache-Control", "no-store");
    if (status !== "ready") response.setHeader("Retry-After", "2");
    sendJson(response, status === "ready" ? 200 : 503, { status, checks: Object.fromEntries(results) });
  });
  return router;
}

async function state({ name, check }: ReadinessCheck, logger: Logger): Promise<readonly [string, "up" | "down"]> {
  try {
    await check();
    return [name, "up"];
  } catch (error) {
    logger.warn({ check: name, err: error }, "not ready");
    return [name, "down"];
  }
}
