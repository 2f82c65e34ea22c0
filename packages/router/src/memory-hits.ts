import { longestTimer } from "@servicekit/core/internal";

/** What one client has sent in its window. */
export interface Hits {
  readonly totalHits: number;
  /** When its window ends. */
  readonly resetTime: Date;
}

type Counted = { -readonly [Name in keyof Hits]: Hits[Name] };

/**
 * Counts in the memory of this process, as the store of `express-rate-limit` does, and without a promise for each request. A
 * window begins with the first hit of a client. Clients that have sent nothing for a window are forgotten, all at once, by
 * one timer.
 *
 * @returns counts a hit of a client; what it gets is that of the client, now
 */
export function makeMemoryHits(windowMs: number): (key: string) => Hits {
  let current = new Map<string, Counted>();
  let previous = new Map<string, Counted>();
  const forget = (): void => {
    previous = current;
    current = new Map();
  };
  setInterval(forget, Math.min(windowMs, longestTimer)).unref();
  return (key) => {
    const now = Date.now();
    let hits = current.get(key);
    if (hits === undefined) {
      hits = previous.get(key) ?? { totalHits: 0, resetTime: new Date(now + windowMs) };
      previous.delete(key);
      current.set(key, hits);
    }
    if (hits.resetTime.getTime() <= now) {
      hits.totalHits = 0;
      hits.resetTime = new Date(now + windowMs);
    }
    hits.totalHits++;
    return hits;
  };
}
