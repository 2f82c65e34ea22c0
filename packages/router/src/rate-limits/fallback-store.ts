import type { Store } from "express-rate-limit";
import { BoundedMemoryStore } from "./bounded-memory-store.js";

/** The store of one limit's hits: any store of `express-rate-limit`. */
export type RateLimitStore = Store;

/** How often an unavailable store is reported, in milliseconds. */
const reportEveryMs = 60_000;

/**
 * A store that counts in the memory of this process while the given store is unavailable, so that the limit still
 * applies (contract C60).
 *
 * @param onStoreError receives the error of the store, once a minute
 */
export function withFallback(store: RateLimitStore, onStoreError?: (error: unknown) => void): RateLimitStore {
  const memory = new BoundedMemoryStore();
  let reportedAt: number | undefined;
  const report = (error: unknown): void => {
    if (reportedAt !== undefined && performance.now() - reportedAt < reportEveryMs) return;
    reportedAt = performance.now();
    onStoreError?.(error);
  };
  const attempt = async <Result>(act: (store: RateLimitStore) => Result): Promise<Awaited<Result>> => {
    try {
      return await act(store);
    } catch (error) {
      report(error);
      return await act(memory);
    }
  };
  return {
    async init(options) {
      memory.init(options);
      try {
        await store.init?.(options);
      } catch (error) {
        report(error);
      }
    },
    increment: (key) => attempt((counting) => counting.increment(key)),
    decrement: (key) => attempt((counting) => counting.decrement(key)),
    resetKey: (key) => attempt((counting) => counting.resetKey(key)),
  };
}
