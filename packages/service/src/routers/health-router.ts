import type { Database } from "@servicekit/prisma";
import type { ReplicaState } from "@servicekit/prisma/internal";
import { ServiceRouter, sendJson } from "@servicekit/router";
import { declareRoute } from "@servicekit/router/internal";
import type { RequestHandler } from "express";
import type { Logger } from "pino";
import { loggedError } from "../logging/logged-error.js";
import type { Redis } from "../redis/open-redis.js";
import { reportMissing } from "./report-missing.js";

/** A dependency that must work for the service to be ready. */
export interface ReadinessCheck {
  readonly name: string;
  /** Whether the service is unusable without it; others are only reported. */
  readonly isVital: boolean;
  /** Rejects with the reason if it does not work. */
  check(): Promise<void>;
}

/** The dependencies of readiness. */
export interface HealthOptions {
  readonly checks: readonly ReadinessCheck[];
  /** Whether the service is stopping. */
  readonly isDraining: () => boolean;
  readonly logger: Logger;
}

/**
 * The database is ready if it responds to a query and has the tables of the models.
 *
 * @param root the root of the package, whose migrations are named if tables are missing
 */
export function databaseCheck(database: Database, root: string): ReadinessCheck {
  let isComplete = false;
  return {
    name: "database",
    isVital: true,
    check: async () => {
      await database.ping();
      // After the tables were found once they are not checked again, so that a probe is cheap.
      if (isComplete) return;
      const missing = await database.missingTables();
      if (missing.length > 0) throw new Error(await reportMissing(missing, database, root));
      isComplete = true;
    },
  };
}

/**
 * Without Redis the service continues, with limits of its own; not if it stores the revoked tokens, because no user can
 * then be authenticated.
 */
export const redisCheck = (redis: Redis, isVital: boolean): ReadinessCheck => ({
  name: "redis",
  isVital,
  check: async () => {
    await redis.send("PING");
  },
});

/** Without replicas the primary serves all reads. */
export const replicaChecks = (states: () => readonly ReplicaState[] = () => []): readonly ReadinessCheck[] =>
  states().map(({ name }, at) => ({
    name: `replica ${at + 1}`,
    isVital: false,
    check: async () => {
      const { issue } = states()[at] ?? {};
      if (issue !== undefined) throw new Error(`The replica ${name} is not read from: ${issue}.`);
    },
  }));

/**
 * `GET /api/health/live` and `/api/health/ready` (contract C41). Ready means that every required check succeeds and the
 * service is not stopping; the reason of a failure is only in the log, once a minute. Results are cached for a second,
 * so that probes cost nothing; a shutdown is reported immediately.
 */
export function makeHealthRouter({ checks, isDraining, logger }: HealthOptions): ServiceRouter {
  const router = ServiceRouter();
  const states = checks.map((check) => cachedState(check, logger));
  const declare = (name: keyof typeof documented, handler: RequestHandler): void => {
    declareRoute(router, {
      method: "get",
      config: {
        path: `/health/${name}`,
        queryParser: false,
        validation: { body: false },
        experimental: { openapi: documented[name] },
      },
      handlers: [handler],
      origin: { place: "the health routes", resource: "health", operation: name },
    });
  };
  declare("live", (_request, response) => sendJson(response, 200, { status: "live" }));
  declare("ready", async (_request, response) => {
    const results = await Promise.all(states.map((state) => state()));
    const isDown = results.some(([, up], index) => up === "down" && checks[index]?.isVital === true);
    const status = isDraining() ? "draining" : isDown ? "unavailable" : "ready";
    response.setHeader("Cache-Control", "no-store");
    if (status !== "ready") response.setHeader("Retry-After", "2");
    sendJson(response, status === "ready" ? 200 : 503, { status, checks: Object.fromEntries(results) });
  });
  return router;
}

type State = readonly [name: string, state: "up" | "down"];

/** How long a result is cached, and the interval in which the log reports a failure, in milliseconds. */
const cacheMs = 1_000;
const reportIntervalMs = 60_000;

function cachedState({ name, check }: ReadinessCheck, logger: Logger): () => Promise<State> {
  let cached: { readonly state: Promise<State>; readonly until: number } | undefined;
  let reportedAt: number | undefined;
  const run = async (): Promise<State> => {
    try {
      await check();
      if (reportedAt !== undefined) logger.info({ check: name }, "ready again");
      reportedAt = undefined;
      return [name, "up"];
    } catch (error) {
      const now = performance.now();
      if (reportedAt === undefined || now - reportedAt >= reportIntervalMs) {
        reportedAt = now;
        logger.error({ check: name, err: loggedError(error) }, "not ready");
      }
      return [name, "down"];
    }
  };
  return () => {
    if (cached === undefined || performance.now() >= cached.until) {
      cached = { state: run(), until: performance.now() + cacheMs };
    }
    return cached.state;
  };
}

const reply = (description: string, properties: object) => ({
  description,
  content: {
    "application/json": {
      schema: { type: "object", properties, required: Object.keys(properties), additionalProperties: false },
    },
  },
});

const checks = {
  type: "object",
  description: "The dependencies of the service.",
  additionalProperties: { type: "string", enum: ["up", "down"] },
};

/** The API documentation of the two routes. */
const documented = {
  live: {
    summary: "Check that the service is alive",
    description: "Does not depend on any other service. Restart the process only when this does not respond.",
    tags: ["Health"],
    responses: { 200: reply("The service is alive.", { status: { const: "live" } }) },
  },
  ready: {
    summary: "Check that the service is ready for requests",
    description: "Not ready while it starts or stops, or while a required dependency is unavailable.",
    tags: ["Health"],
    responses: {
      200: reply("The service is ready.", { status: { const: "ready" }, checks }),
      503: reply("The service is stopping, or a required dependency is unavailable. Retry later.", {
        status: { type: "string", enum: ["draining", "unavailable"] },
        checks,
      }),
    },
  },
};
