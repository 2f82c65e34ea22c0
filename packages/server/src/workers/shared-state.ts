import { type Borrower, type HitCount, HitWindows, type LentHits } from "./hit-windows.js";

/** One thing that a worker wants of what all share; it goes between processes as it is. */
export type SharedAsk =
  /** One more hit of a key in its window; is answered with {@link HitCount}. */
  | readonly ["hit", scope: string, key: string, windowMs: number]
  /** So many hits of a key, and some to spare, for the worker to count by itself; is answered with {@link LentHits}. */
  | readonly ["borrow", scope: string, key: string, windowMs: number, limit: number, wanted: number]
  | readonly ["take back" | "forget", scope: string, key: string]
  | readonly ["get", key: string]
  | readonly ["set", key: string, value: string, seconds: number];

/** What an ask is answered with: a count, hits, a value, or nothing. */
export type SharedAnswer = HitCount | LentHits | string | null;

/** What the workers of one machine share: counts, and values for a time. */
export interface SharedState {
  /**
   * Carries asks out in their order; an answer for each.
   *
   * @param borrower who asks, to be asked for what it has borrowed; without it nothing is lent to spare
   */
  answer(asks: readonly SharedAsk[], borrower?: Borrower): Promise<readonly SharedAnswer[]>;
}

/** How often values that are over are looked for, in values that came. */
const sweepEvery = 1_000;

/** Keeps hits in their windows, and values until they are over. It lives in the primary, and as long as that does. */
export function makeSharedState(): SharedState {
  const windows = new HitWindows();
  const values = new Map<string, { readonly value: string; readonly end: number }>();
  let additions = 0;

  const keep = (key: string, value: string, seconds: number): void => {
    const now = Date.now();
    values.set(key, { value, end: now + seconds * 1_000 });
    if (++additions % sweepEvery !== 0) return;
    for (const [known, { end }] of values) if (end <= now) values.delete(known);
  };
  const carryOut = (ask: SharedAsk, borrower: Borrower | undefined): SharedAnswer | Promise<SharedAnswer> => {
    switch (ask[0]) {
      case "hit":
        return windows.hit(ask[1], ask[2], ask[3]);
      case "borrow":
        return windows.borrow(ask[1], ask[2], { windowMs: ask[3], limit: ask[4], wanted: ask[5] }, borrower);
      case "take back":
        windows.takeBack(ask[1], ask[2]);
        return null;
      case "forget":
        windows.forget(ask[1], ask[2]);
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
  return { answer: (asks, borrower) => Promise.all(asks.map((ask) => carryOut(ask, borrower))) };
}
