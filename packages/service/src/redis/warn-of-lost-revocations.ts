import { setTimeout as wait } from "node:timers/promises";
import type { Logger } from "pino";
import type { Redis } from "./open-redis.js";

/** How often Redis is queried while it is unavailable, and the pause between, in milliseconds. */
const maxAttempts = 60;
const pauseMs = 1_000;

const inMemory =
  "revoked tokens are stored in memory: after a restart, and on other instances, they are valid again. Add a model AuthSession to the schema (npx service generate sessions), or set redis.url (REDIS_URL).";
const notPersistent =
  "revoked tokens are stored in a Redis without persistence: they are valid again after its restart. Enable appendonly or save.";
const evicting =
  "revoked tokens are stored in a Redis that evicts keys when its memory is full: they may become valid again. Set maxmemory-policy noeviction.";

/**
 * Warns once if revoked tokens could become valid again (contract C72): they are as durable as their store. A Redis
 * that hides its configuration is trusted.
 */
export async function warnOfLostRevocations(redis: Redis | undefined, logger: Logger): Promise<void> {
  if (redis === undefined) return logger.warn(inMemory);
  for (let tries = 0; tries < maxAttempts; tries++) {
    try {
      const [save, appendOnly, policy] = await Promise.all(
        ["save", "appendonly", "maxmemory-policy"].map((name) => settingOf(redis, name)),
      );
      if (save === "" && appendOnly === "no") logger.warn(notPersistent);
      if (policy !== undefined && policy !== "noeviction") logger.warn(evicting);
      return;
    } catch (error) {
      // Managed Redis services hide their configuration.
      if (/unknown command|NOPERM/i.test(String(error))) return;
      // It does not keep an otherwise idle process alive.
      await wait(pauseMs, undefined, { ref: false });
    }
  }
}

async function settingOf(redis: Redis, name: string): Promise<string | undefined> {
  const response = await redis.send("CONFIG", "GET", name);
  // A list of names and values, or an object in the newer protocol.
  const value: unknown = Array.isArray(response) ? response[1] : (response as Record<string, unknown> | null)?.[name];
  return value === undefined ? undefined : String(value);
}
