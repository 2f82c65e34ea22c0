import type { RateLimitStore } from "@servicekit/router";
import { LRUCache } from "lru-cache";

/** Keys that are counted at a time: strangers choose them, and may not choose how much memory they take. */
const mostKeys = 100_000;

/** Counts in the memory of this process, in fixed windows; of too many keys the one that was idle longest is forgotten. */
export function makeMemoryCounts(): RateLimitStore {
  const counts = new LRUCache<string, { totalHits: number; readonly resetTime: Date }>({ max: mostKeys });
  let window = 0;
  const countOf = (key: string) => {
    const known = counts.get(key);
    return known !== undefined && known.resetTime.getTime() > Date.now() ? known : undefined;
  };
  return {
    init({ windowMs }) {
      window = windowMs;
    },
    increment(key) {
      const count = countOf(key) ?? { totalHits: 0, resetTime: new Date(Date.now() + window) };
      count.totalHits++;
      counts.set(key, count);
      return { ...count };
    },
    decrement(key) {
      const count = countOf(key);
      if (count !== undefined && count.totalHits > 0) count.totalHits--;
    },
    resetKey(key) {
      counts.delete(key);
    },
  };
}
