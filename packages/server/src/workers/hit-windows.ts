import { LRUCache } from "lru-cache";

/** The hits of a key in its window, and when that ends, in milliseconds since 1970. */
export type HitCount = readonly [hits: number, resetAt: number];

/** Hits that belong to who has borrowed them: so many behind `from`. */
export type LentHits = readonly [from: number, granted: number, resetAt: number];

/** What somebody has borrowed of: a key in one of its windows. */
export type Loan = readonly [scope: string, key: string, resetAt: number];

/** Who borrows hits, to count them by itself. */
export interface Borrower {
  /** Gives back what is left of a loan, and tells how many that were; 0 of one that has ended. */
  giveBack(loan: Loan): Promise<number>;
}

/** The hits that somebody wants of a key of which all together may have so many in a window. */
export interface WantedHits {
  readonly windowMs: number;
  readonly limit: number;
  /** As many as are waited for. */
  readonly wanted: number;
}

/** Keys that are counted at a time in one scope: strangers choose them, and may not choose how much memory they take. */
const mostKeys = 100_000;

/** The most that is lent beyond what is wanted: what a worker has when it dies is lost until the window ends. */
const mostSpare = 100;

/** How long is waited for what others give back, in milliseconds; what comes later is there for the next. */
const giveBackMs = 200;

interface Window {
  /** Those that were used, and those that are lent. */
  hits: number;
  readonly resetAt: number;
  readonly borrowers: Set<Borrower>;
  /** Under way while borrowers are asked for what they have left. */
  recall?: Promise<void> | undefined;
}

/** Counts hits in fixed windows, each of which begins with the first hit of a key. */
export class HitWindows {
  readonly #scopes = new Map<string, LRUCache<string, Window>>();

  hit(scope: string, key: string, windowMs: number): HitCount {
    const window = this.#windowOf(scope, key, windowMs);
    window.hits++;
    return [window.hits, window.resetAt];
  }

  /**
   * Lends hits: those that are wanted, and a tenth of what remains besides. What is lent counts as used until it is given
   * back, so all together never use more than the limit; and before anybody is refused, the others give back what they
   * have left, so nobody is refused while there is one.
   */
  borrow(scope: string, key: string, asked: WantedHits, borrower?: Borrower): LentHits | Promise<LentHits> {
    const window = this.#windowOf(scope, key, asked.windowMs);
    const { limit, wanted } = asked;
    // Who asks has none left.
    if (borrower !== undefined) window.borrowers.delete(borrower);
    if (window.hits + wanted > limit && (window.recall !== undefined || window.borrowers.size > 0)) {
      window.recall ??= recall(window, [scope, key, window.resetAt]);
      return window.recall.then(() => this.borrow(scope, key, asked, borrower));
    }
    const from = window.hits;
    const remaining = Math.max(0, limit - from);
    const spare = Math.min(mostSpare, Math.max(0, Math.floor((remaining - wanted) / 10)));
    const granted = Math.min(remaining, borrower === undefined ? wanted : wanted + spare);
    window.hits += granted;
    if (borrower !== undefined && granted > wanted) window.borrowers.add(borrower);
    return [from, granted, window.resetAt];
  }

  takeBack(scope: string, key: string): void {
    const window = this.#windowsOf(scope).get(key);
    if (window !== undefined && window.hits > 0 && window.resetAt > Date.now()) window.hits--;
  }

  forget(scope: string, key: string): void {
    this.#windowsOf(scope).delete(key);
  }

  #windowsOf(scope: string): LRUCache<string, Window> {
    let windows = this.#scopes.get(scope);
    if (windows === undefined) {
      windows = new LRUCache<string, Window>({ max: mostKeys });
      this.#scopes.set(scope, windows);
    }
    return windows;
  }

  #windowOf(scope: string, key: string, windowMs: number): Window {
    const windows = this.#windowsOf(scope);
    const now = Date.now();
    let window = windows.get(key);
    if (window === undefined || window.resetAt <= now) {
      window = { hits: 0, resetAt: now + windowMs, borrowers: new Set() };
      windows.set(key, window);
    }
    return window;
  }
}

async function recall(window: Window, loan: Loan): Promise<void> {
  const borrowers = [...window.borrowers];
  window.borrowers.clear();
  const given = borrowers.map(async (borrower) => {
    const left = await borrower.giveBack(loan);
    window.hits -= left;
  });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, giveBackMs);
  });
  await Promise.race([Promise.all(given), late]);
  clearTimeout(timer);
  window.recall = undefined;
}
