import type { Database } from "@servicekit/prisma";
import { ServiceRouter, sendJson } from "@servicekit/router";
import { declareRoute } from "@servicekit/router/internal";
import type { RequestHandler } from "express";
import type { Logger } from "pino";
import { loggedError } from "../logging/logged-error.js";
import type { Redis } from "../redis/open-redis.js";
import { tellMissing } from "./tell-missing.js";

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

/**
 * The database is ready when it answers a real query and has the tables of the models.
 *
 * @param root the root of the package, whose migrations are named where tables are missing
 */
export function databaseCheck(database: Database, root: string): ReadinessCheck {
  let isComplete = false;
  return {
    name: "database",
    isVital: true,
    check: async () => {
      await database.ping();
      // Tables that were there once are asked for no more: a probe stays cheap.
      if (isComplete) return;
      const missing = await database.missingTables();
      if (missing.length > 0) throw new Error(await tellMissing(missing, database, root));
      isComplete = true;
    },
  };
}

/**
 * Without Redis the service goes on, with limits of its own; not where it knows which tokens are revoked: then nobody can be
 * signed in.
 */
export const redisCheck = (redis: Redis, isVital: boolean): ReadinessCheck => ({
  name: "redis",
  isVital,
  check: async () => {
    await redis.send("PING");
  },
});

/**
 * `GET /api/health/live` and `/api/health/ready` (contract C41). Ready means that every vital check answers and
 * the service is not stopping; the reason of a failure is in the log only, once a minute. What the checks say is remembered
 * for a second, so that probes cost nothing; that the service stops is told at once.
 */
export function makeHealthRouter({ checks, isDraining, logger }: HealthOptions): ServiceRouter {
  const router = ServiceRouter();
  const states = checks.map((check) => rememberedState(check, logger));
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

/** How long what a check said holds, and how often the log says that it fails, in milliseconds. */
const rememberMs = 1_000;
const tellEveryMs = 60_000;

function rememberedState({ name, check }: ReadinessCheck, logger: Logger): () => Promise<State> {
  let known: { readonly state: Promise<State>; readonly until: number } | undefined;
  let toldAt: number | undefined;
  const ask = async (): Promise<State> => {
    try {
      await check();
      if (toldAt !== undefined) logger.info({ check: name }, "ready again");
      toldAt = undefined;
      return [name, "up"];
    } catch (error) {
      const now = performance.now();
      if (toldAt === undefined || now - toldAt >= tellEveryMs) {
        toldAt = now;
        logger.error({ check: name, err: loggedError(error) }, "not ready");
      }
      return [name, "down"];
    }
  };
  return () => {
    if (known === undefined || performance.now() >= known.until) {
      known = { state: ask(), until: performance.now() + rememberMs };
    }
    return known.state;
  };
}

const answer = (description: string, properties: object) => ({
  description,
  content: {
    "application/json": {
      schema: { type: "object", properties, required: Object.keys(properties), additionalProperties: false },
    },
  },
});

const checks = {
  type: "object",
  description: "What the service depends on.",
  additionalProperties: { type: "string", enum: ["up", "down"] },
};

/** What the API documentation says of the two routes. */
const documented = {
  live: {
    summary: "Tells that the service lives.",
    description: "Whatever it depends on: a restart is asked for only where this does not answer.",
    tags: ["Health"],
    responses: { 200: answer("It lives.", { status: { const: "live" } }) },
  },
  ready: {
    summary: "Tells whether the service is ready for requests.",
    description: "Not while it starts or stops, nor while what it cannot do without is away.",
    tags: ["Health"],
    responses: {
      200: answer("It is ready.", { status: { const: "ready" }, checks }),
      503: answer("It is stopping, or something that it cannot do without is away; try again.", {
        status: { type: "string", enum: ["draining", "unavailable"] },
        checks,
      }),
    },
  },
};
