import type { RateLimitStore } from "@servicekit/router";
import type { WorkerLink } from "@servicekit/server/internal";
import type { Redis } from "./open-redis.js";
import { openRateLimitStores } from "./rate-limit-store.js";

/** What a service has in common with others of its kind: through Redis, or with the workers of its primary (contract C78). */
export interface Shared {
  /** Makes the store of one limit. */
  makeStore(scope: string): RateLimitStore;
  /** Values that end by themselves. */
  readonly values: {
    get(key: string): Promise<string | null>;
    set(key: string, value: string, seconds: number): Promise<unknown>;
  };
}

/** Redis goes before the primary, because it is that of other machines too; `undefined` where this process is the only one. */
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
