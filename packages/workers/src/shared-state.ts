import { LRUCache } from "lru-cache";

/** One thing that a worker wants of what all share; it goes between processes as it is. */
export type SharedAsk =
  /** One more hit of a key in its window; is answered with {@link HitCount}. */
  | readonly ["hit", scope: string, key: string, windowMs: number]
  | readonly ["take back" | "forget", scope: string, key: string]
  | readonly ["get", key: string]
  | readonly ["set", key: string, value: string, seconds: number];

/** The hits of a key in its window, and when that ends, in milliseconds since 1970. */
export type HitCount = readonly [hits: number, resetAt: number];

/** What an ask is answered with: a count, a value, or nothing. */
export type SharedAnswer = HitCount | string | null;

/** What the workers of one machine share: counts, and values for a time. */
export interface SharedState {
  /** Carries asks out in their order; an answer for each. */
  answer(asks: readonly SharedAsk[]): SharedAnswer[];
}

/** Keys that are counted at a time in one scope: strangers choose them, and may not choose how much memory they take. */
const mostKeys = 100_000;

/** How often values that are over are looked for, in values that came. */
const sweepEvery = 1_000;

interface Window {
  hits: number;
  readonly resetAt: number;
}

/**
 * Counts hits in fixed windows, each of which begins with the first hit of a key, and keeps values until they are over. It
 * lives in the primary, and as long as that does.
 */
export function makeSharedState(): SharedState {
  const scopes = new Map<string, LRUCache<string, Window>>();
  const values = new Map<string, { readonly value: string; readonly end: number }>();
  let additions = 0;

  const windowsOf = (scope: string): LRUCache<string, Window> => {
    let windows = scopes.get(scope);
    if (windows === undefined) {
      windows = new LRUCache<string, Window>({ max: mostKeys });
      scopes.set(scope, windows);
    }
    return windows;
  };
  const hit = (scope: string, key: string, windowMs: number): HitCount => {
    const windows = windowsOf(scope);
    const now = Date.now();
    let window = windows.get(key);
    if (window === undefined || window.resetAt <= now) {
      window = { hits: 0, resetAt: now + windowMs };
      windows.set(key, window);
    }
    window.hits++;
    return [window.hits, window.resetAt];
  };
  const keep = (key: string, value: string, seconds: number): void => {
    const now = Date.now();
    values.set(key, { value, end: now + seconds * 1_000 });
    if (++additions % sweepEvery !== 0) return;
    for (const [known, { end }] of values) if (end <= now) values.delete(known);
  };
  const carryOut = (ask: SharedAsk): SharedAnswer => {
    switch (ask[0]) {
      case "hit":
        return hit(ask[1], ask[2], ask[3]);
      case "take back": {
        const window = windowsOf(ask[1]).get(ask[2]);
        if (window !== undefined && window.hits > 0 && window.resetAt > Date.now()) window.hits--;
        return null;
      }
      case "forget":
        windowsOf(ask[1]).delete(ask[2]);
        return null;
      case "get": {
        const kept = values.get(ask[1]);
        return kept !== undefined && kept.end > Date.now() ? kept.value : null;
      }
      case "set":
        keep(ask[1], ask[2], ask[3]);
        return null;
    }
  };
  return { answer: (asks) => asks.map(carryOut) };
}
