import { LRUCache } from "lru-cache";

/** Maximum number of cached values. */
const maxValues = 10_000;

/** Values of the database by key, for a limited time. A value that was read before a change is not cached after it. */
export interface ReadCache<Value> {
  get(key: string): Value | undefined;
  /** Call it before a read. The returned function caches what was read, unless something has changed since. */
  reading(): (key: string, value: Value) => void;
  /** Runs a change; afterwards the value of the key, or every value without a key, is read again. */
  change<Result>(work: () => Promise<Result>, key?: string): Promise<Result>;
}

/**
 * Creates a cache.
 *
 * @param milliseconds how long a value is cached; 0 caches nothing
 */
export function makeReadCache<Value extends object>(milliseconds: number): ReadCache<Value> {
  if (milliseconds === 0) return { get: () => undefined, reading: () => () => undefined, change: (work) => work() };
  const known = new LRUCache<string, Value>({ max: maxValues, ttl: milliseconds });
  let changes = 0;
  return {
    get: (key) => known.get(key),
    reading() {
      const before = changes;
      return (key, value) => {
        if (changes === before) known.set(key, value);
      };
    },
    async change(work, key) {
      try {
        return await work();
      } finally {
        changes++;
        if (key === undefined) known.clear();
        else known.delete(key);
      }
    },
  };
}
