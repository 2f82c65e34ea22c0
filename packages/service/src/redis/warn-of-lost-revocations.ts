import { setTimeout as wait } from "node:timers/promises";
import type { Logger } from "pino";
import type { Redis } from "./open-redis.js";

/** How often Redis is asked while it is not there yet, and the pause between, in milliseconds. */
const mostTries = 60;
const pauseMs = 1_000;

const inMemory =
  "revoked tokens are kept in memory: who has logged out is signed in again after a restart, and on other instances. Give the schema a model AuthSession (service generate sessions), or configure redis.url (REDIS_URL).";
const notPersistent =
  "revoked tokens are kept in a Redis that writes nothing to disk: who has logged out is signed in again when it restarts. Switch on appendonly or save there.";
const evicting =
  "revoked tokens are kept in a Redis that drops keys when its memory is full: who has logged out may be signed in again. Set maxmemory-policy noeviction there.";

/**
 * Says in the log, once, how tokens that were revoked would come back to life (contract C72): they are as durable as what
 * keeps them. A Redis that does not tell how it is configured is believed.
 */
export async function warnOfLostRevocations(redis: Redis | undefined, logger: Logger): Promise<void> {
  if (redis === undefined) return logger.warn(inMemory);
  for (let tries = 0; tries < mostTries; tries++) {
    try {
      const [save, appendOnly, policy] = await Promise.all(
        ["save", "appendonly", "maxmemory-policy"].map((name) => settingOf(redis, name)),
      );
      if (save === "" && appendOnly === "no") logger.warn(notPersistent);
      if (policy !== undefined && policy !== "noeviction") logger.warn(evicting);
      return;
    } catch (error) {
      // Services that rent a Redis out keep its configuration to themselves.
      if (/unknown command|NOPERM/i.test(String(error))) return;
      // It keeps no process alive that has nothing else to do.
      await wait(pauseMs, undefined, { ref: false });
    }
  }
}

async function settingOf(redis: Redis, name: string): Promise<string | undefined> {
  const answer = await redis.send("CONFIG", "GET", name);
  // A list of name and value, or an object in the newer protocol.
  const value: unknown = Array.isArray(answer) ? answer[1] : (answer as Record<string, unknown> | null)?.[name];
  return value === undefined ? undefined : String(value);
}
