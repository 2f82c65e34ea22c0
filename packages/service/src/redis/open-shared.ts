import type { RateLimitStore } from "@servicekit/router";
import type { WorkerLink } from "@servicekit/server/internal";
import type { Redis } from "./open-redis.js";
import { openRateLimitStores } from "./rate-limit-store.js";

/** The state shared with other instances: through Redis, or with the workers of the primary (contract C78). */
export interface Shared {
  /** Creates the store of one limit. */
  makeStore(scope: string): RateLimitStore;
  /** Values with an expiry. */
  readonly values: {
    get(key: string): Promise<string | null>;
    set(key: string, value: string, seconds: number): Promise<unknown>;
  };
}

/**
 * Redis takes precedence over the primary, because other machines share it; `undefined` if this process is the only
 * one.
 */
export async function openShared(
  redis: Redis | undefined,
  worker: WorkerLink | undefined,
): Promise<Shared | undefined> {
  if (redis === undefined) return worker;
  return {
    makeStore: await openRateLimitStores(redis),
    values: {
      get: async (key) => (await redis.send("GET", key)) as string | null,
      set: (key, value, seconds) => redis.send("SET", key, value, "EX", String(seconds)),
    },
  };
}
