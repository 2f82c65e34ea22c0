import { BoundedMemoryStore } from "@servicekit/router/internal";

/** The hits of a key in its window, and when that ends, in milliseconds since 1970. */
export type HitCount = readonly [totalHits: number, resetAt: number];

/** One operation of a worker on the shared state; it is sent between processes as it is. */
export type SharedAsk =
  /** Counts one hit of a key in its window; returns {@link HitCount}. */
  | readonly ["hit", scope: string, key: string, windowMs: number]
  | readonly ["take back" | "forget", scope: string, key: string]
  | readonly ["get", key: string]
  | readonly ["set", key: string, value: string, seconds: number];

/** The result of an operation: a count, a value, or nothing. */
export type SharedAnswer = HitCount | string | null;

/** What the workers of one machine share: counts, and values with an expiry. */
export interface SharedState {
  /** Carries out operations in their order; returns one result for each. */
  answer(asks: readonly SharedAsk[]): Promise<readonly SharedAnswer[]>;
}

/** After so many new values, the expired ones are removed. */
const sweepEvery = 1_000;

/** The state lives in the memory of the primary. */
export function makeSharedState(): SharedState {
  const scopes = new Map<string, BoundedMemoryStore>();
  const values = new Map<string, { readonly value: string; readonly end: number }>();
  let additions = 0;

  const hit = async (scope: string, key: string, windowMs: number): Promise<HitCount> => {
    let store = scopes.get(scope);
    if (store === undefined) {
      store = new BoundedMemoryStore();
      store.init({ windowMs });
      scopes.set(scope, store);
    }
    const { totalHits, resetTime } = await store.increment(key);
    return [totalHits, resetTime?.getTime() ?? 0];
  };
  const set = (key: string, value: string, seconds: number): void => {
    const now = Date.now();
    values.set(key, { value, end: now + seconds * 1_000 });
    if (++additions % sweepEvery !== 0) return;
    for (const [known, { end }] of values) if (end <= now) values.delete(known);
  };
  const carryOut = (ask: SharedAsk): SharedAnswer | Promise<SharedAnswer> => {
    switch (ask[0]) {
      case "hit":
        return hit(ask[1], ask[2], ask[3]);
      case "take back":
        void scopes.get(ask[1])?.decrement(ask[2]);
        return null;
      case "forget":
        void scopes.get(ask[1])?.resetKey(ask[2]);
        return null;
      case "get": {
        const stored = values.get(ask[1]);
        return stored !== undefined && stored.end > Date.now() ? stored.value : null;
      }
      case "set":
        set(ask[1], ask[2], ask[3]);
        return null;
    }
  };
  return { answer: (asks) => Promise.all(asks.map(carryOut)) };
}
