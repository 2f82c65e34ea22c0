import { BoundedMemoryStore } from "@servicekit/router/internal";

/** The hits of a key in its window, and the end of the window, in milliseconds since 1970. */
export type HitCount = readonly [totalHits: number, resetAt: number];

/** One operation of a worker on the shared state; it is sent between processes unchanged. */
export type SharedCall =
  /** Counts one hit of a key in its window; returns {@link HitCount}. */
  | readonly ["hit", scope: string, key: string, windowMs: number]
  | readonly ["take back" | "forget", scope: string, key: string]
  | readonly ["get", key: string]
  | readonly ["set", key: string, value: string, seconds: number];

/** The result of an operation: a count, a value, or nothing. */
export type SharedResult = HitCount | string | null;

/** The shared state of the workers of one machine: counts, and values with an expiry. */
export interface SharedState {
  /** Executes operations in order; returns one result for each. */
  execute(calls: readonly SharedCall[]): Promise<readonly SharedResult[]>;
}

/** After this many new values, expired ones are removed. */
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
  const carryOut = (call: SharedCall): SharedResult | Promise<SharedResult> => {
    switch (call[0]) {
      case "hit":
        return hit(call[1], call[2], call[3]);
      case "take back":
        void scopes.get(call[1])?.decrement(call[2]);
        return null;
      case "forget":
        void scopes.get(call[1])?.resetKey(call[2]);
        return null;
      case "get": {
        const entry = values.get(call[1]);
        return entry !== undefined && entry.end > Date.now() ? entry.value : null;
      }
      case "set":
        set(call[1], call[2], call[3]);
        return null;
    }
  };
  return { execute: (calls) => Promise.all(calls.map(carryOut)) };
}
