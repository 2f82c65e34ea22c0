import { LRUCache } from "lru-cache";
import type { LentHits } from "./hit-windows.js";

/** The hits of a key in its window as all together have counted them, and when that ends. */
export interface Hits {
  readonly totalHits: number;
  readonly resetTime: Date;
}

/** Counts hits of keys of which all workers together may have so many in a window. */
export interface BorrowedHits {
  /** Counts one, at once where it is lent already. */
  hit(key: string): Hits | Promise<Hits>;
  /** Gives back what is left of a loan. */
  giveBack(key: string, resetAt: number): number;
}

/** Asks for hits of a key; how many are waited for is known when the ask is sent. */
export type Borrow = (key: string, wanted: () => number) => Promise<LentHits>;

/** As many keys as the primary counts. */
const mostKeys = 100_000;

/** For how long somebody who was refused is refused without another ask, in milliseconds. */
const refusedMs = 100;

interface Waiting {
  readonly resolve: (hits: Hits) => void;
  readonly reject: (error: unknown) => void;
}

/** What this worker may count of a key. */
interface Borrowed {
  next: number;
  left: number;
  resetTime: Date;
  /** The most that was told in the window: what another gives back lets no count fall. */
  told: number;
  refusedUntil: number;
  waiting: Waiting[];
  /** Of those who wait, how many the ask that is under way is for. */
  wanted: number;
}

/**
 * Counts hits of what was borrowed before, and borrows where there is none left: those who wait for a key at the same time
 * wait for one ask.
 */
export function borrowHits(limit: number, borrow: Borrow): BorrowedHits {
  const known = new LRUCache<string, Borrowed>({ max: mostKeys });

  const use = (one: Borrowed): Hits => {
    one.left--;
    one.told = Math.max(one.told, ++one.next);
    return { totalHits: one.told, resetTime: one.resetTime };
  };
  const refused = ({ resetTime }: Borrowed): Hits => ({ totalHits: limit + 1, resetTime });

  const ask = async (key: string, one: Borrowed): Promise<void> => {
    const wanted = (): number => {
      one.wanted = one.waiting.length;
      return one.wanted;
    };
    try {
      const [from, granted, resetAt] = await borrow(key, wanted);
      if (one.resetTime.getTime() !== resetAt) {
        one.resetTime = new Date(resetAt);
        one.told = 0;
      }
      one.next = from;
      one.left = granted;
      const isOver = granted < one.wanted;
      if (isOver) one.refusedUntil = Date.now() + refusedMs;
      for (const { resolve } of one.waiting.splice(0, isOver ? one.wanted : granted)) {
        resolve(one.left > 0 ? use(one) : refused(one));
      }
    } catch (error) {
      for (const { reject } of one.waiting.splice(0)) reject(error);
    }
    if (one.waiting.length > 0) void ask(key, one);
  };

  return {
    hit(key) {
      const now = Date.now();
      let one = known.get(key);
      if (one === undefined) {
        one = { next: 0, left: 0, resetTime: new Date(0), told: 0, refusedUntil: 0, waiting: [], wanted: 0 };
        known.set(key, one);
      }
      const borrowed = one;
      if (borrowed.waiting.length === 0 && borrowed.resetTime.getTime() > now) {
        if (borrowed.left > 0) return use(borrowed);
        if (borrowed.refusedUntil > now) return refused(borrowed);
      }
      return new Promise((resolve, reject) => {
        if (borrowed.waiting.push({ resolve, reject }) === 1) void ask(key, borrowed);
      });
    },
    giveBack(key, resetAt) {
      const one = known.peek(key);
      if (one === undefined || one.resetTime.getTime() !== resetAt) return 0;
      const { left } = one;
      one.left = 0;
      return left;
    },
  };
}
