import { whenMissing } from "@servicekit/core/internal";
import { type RateLimitStore } from "@servicekit/router";
import { withFallback } from "@servicekit/router/internal";
import type { RedisReply, RedisStore } from "rate-limit-redis";
import { type Redis, redisPackages } from "./open-redis.js";

/** No script has this name, so that the first use of the store loads its scripts. */
const unloaded = "none";

/**
 * Creates stores that count in Redis, so that all instances of a service share their limits (contract C43). While Redis
 * is unavailable each instance counts by itself (contract C60).
 *
 * @returns the store of each scope, whose counts are independent
 * @throws {StartupError} if the library is not installed
 */
export async function openRateLimitStores(redis: Redis): Promise<(scope: string) => RateLimitStore> {
  const library = await import("rate-limit-redis").catch(whenMissing("redis.url", redisPackages));

  /** The library's store loads its scripts when it is created, and never again if Redis was unavailable then. */
  class LazyRedisStore extends library.RedisStore {
    override async init(options: Parameters<RedisStore["init"]>[0]): Promise<void> {
      this.windowMs = options.windowMs;
      this.forget();
    }

    override async increment(key: string): ReturnType<RedisStore["increment"]> {
      try {
        return await super.increment(key);
      } catch (error) {
        this.forget();
        throw error;
      }
    }

    private forget(): void {
      this.incrementScriptSha = Promise.resolve(unloaded);
      this.getScriptSha = Promise.resolve(unloaded);
    }
  }

  return (scope) => {
    const store: RateLimitStore = new LazyRedisStore({
      prefix: `servicekit:rate:${scope}:`,
      sendCommand: (...command: string[]) => redis.send(...command) as Promise<RedisReply>,
    });
    return withFallback(store, redis.reportUnavailable);
  };
}
