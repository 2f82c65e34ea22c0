import type { Store } from "express-rate-limit";
import type { Hits } from "./memory-hits.js";

/** Where hits are counted; the stores of `express-rate-limit` fit. */
export interface RateLimitStore extends Store {
  /**
   * Counts a hit of a request that is refused over the `limit` that {@link Store.init} was told: in the place of `increment`,
   * and at once where it can.
   */
  hit?(key: string): Hits | Promise<Hits>;
}

type StoreOptions = Parameters<NonNullable<RateLimitStore["init"]>>[0];

/** How often is told that a store is away, in milliseconds. */
const tellEveryMs = 60_000;

/** What a held store works with. */
export interface HeldStoreOptions {
  /** Counts while the store is away. @default the store of `express-rate-limit` */
  readonly makeMemory?: () => RateLimitStore | Promise<RateLimitStore>;
  /** Is told that the store is away, once a minute. */
  readonly onStoreError?: ((error: unknown) => void) | undefined;
}

/** Loaded where a store is away: who counts in memory never has one. */
const libraryStore = async (): Promise<RateLimitStore> => new (await import("express-rate-limit")).MemoryStore();

/**
 * A store that holds when it is away (contract C60): each hit that it cannot count is counted in the memory of this
 * process, so that no limit is lifted by taking the store away.
 */
export function heldStore(store: RateLimitStore, options: HeldStoreOptions = {}): RateLimitStore {
  const { makeMemory = libraryStore, onStoreError } = options;
  let init: StoreOptions | undefined;
  let made: Promise<RateLimitStore> | undefined;
  let toldAt: number | undefined;

  const makeReady = async (): Promise<RateLimitStore> => {
    const memory = await makeMemory();
    if (init !== undefined) await memory.init?.(init);
    return memory;
  };
  const memory = (): Promise<RateLimitStore> => {
    made ??= makeReady();
    return made;
  };
  const tell = (error: unknown): void => {
    if (toldAt !== undefined && performance.now() - toldAt < tellEveryMs) return;
    toldAt = performance.now();
    onStoreError?.(error);
  };
  const held = async <Result>(act: (counting: RateLimitStore) => Result): Promise<Awaited<Result>> => {
    try {
      return await act(store);
    } catch (error) {
      tell(error);
      return await act(await memory());
    }
  };

  const hit = (key: string): Hits | Promise<Hits> | undefined => {
    const counted = store.hit?.(key);
    if (!(counted instanceof Promise)) return counted;
    return counted.catch(async (error: unknown) => {
      tell(error);
      const { totalHits, resetTime = new Date() } = await (await memory()).increment(key);
      return { totalHits, resetTime };
    });
  };

  return {
    ...(store.hit === undefined ? {} : { hit: hit as NonNullable<RateLimitStore["hit"]> }),
    ...(store.prefix === undefined ? {} : { prefix: store.prefix }),
    async init(given) {
      init = given;
      try {
        await store.init?.(given);
      } catch (error) {
        tell(error);
      }
    },
    get: (key) => held((counting) => counting.get?.(key)),
    increment: (key) => held((counting) => counting.increment(key)),
    decrement: (key) => held((counting) => counting.decrement(key)),
    resetKey: (key) => held((counting) => counting.resetKey(key)),
    async shutdown() {
      await store.shutdown?.();
      await (await made)?.shutdown?.();
    },
  };
}
