import { type BorrowedHits, borrowHits, type Hits } from "./borrowed-hits.js";
import type { HitCount, LentHits, Loan } from "./hit-windows.js";
import type { SharedAnswer, SharedAsk } from "./shared-state.js";

/** Where hits of one scope are counted; it fits where `express-rate-limit` wants a store. */
export interface SharedCounts {
  init(options: { readonly windowMs: number; readonly limit?: unknown }): void;
  /**
   * Counts a hit that is used only while the count is within the `limit` of {@link SharedCounts.init}: it is borrowed with
   * others, so most are counted at once.
   */
  hit(key: string): Hits | Promise<Hits>;
  increment(key: string): Promise<{ totalHits: number; resetTime: Date }>;
  decrement(key: string): Promise<void>;
  resetKey(key: string): Promise<void>;
}

/** What a worker shares with the others. */
export interface SharedFace {
  /** The counts of one scope: what is counted in one is not counted in another. */
  makeStore(scope: string): SharedCounts;
  /** Gives back what is left of hits that were borrowed. */
  giveBack(loan: Loan): number;
  /** Values that end by themselves. */
  readonly values: {
    get(key: string): Promise<string | null>;
    set(key: string, value: string, seconds: number): Promise<void>;
  };
}

interface Waiting {
  readonly resolve: (answer: SharedAnswer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The face of what is shared, over whatever carries asks to it: those of one turn of the event loop go together.
 *
 * @param carry rejects where nobody answers: each ask of that turn rejects with it
 */
export function shareOver(carry: (asks: readonly SharedAsk[]) => Promise<readonly SharedAnswer[]>): SharedFace {
  let asks: (() => SharedAsk)[] = [];
  let waiting: Waiting[] = [];
  const borrowed = new Map<string, BorrowedHits>();
  const send = (): void => {
    const sent = waiting;
    const carried = carry(asks.map((one) => one()));
    asks = [];
    waiting = [];
    carried.then(
      (answers) => {
        for (const [at, { resolve }] of sent.entries()) resolve(answers[at] ?? null);
      },
      (error: unknown) => {
        for (const { reject } of sent) reject(error);
      },
    );
  };
  const askLater = (one: () => SharedAsk): Promise<SharedAnswer> => {
    // When all that came in with it has been read.
    if (asks.push(one) === 1) setImmediate(send);
    return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
  };
  const ask = (one: SharedAsk): Promise<SharedAnswer> => askLater(() => one);
  return {
    makeStore(scope) {
      let window = 60_000;
      let own: BorrowedHits | undefined;
      const increment = async (key: string): Promise<Hits> => {
        const [totalHits, resetAt] = (await ask(["hit", scope, key, window])) as HitCount;
        return { totalHits, resetTime: new Date(resetAt) };
      };
      return {
        init({ windowMs, limit }) {
          window = windowMs;
          if (typeof limit !== "number") return;
          own = borrowHits(
            limit,
            async (key, wanted) =>
              (await askLater(() => ["borrow", scope, key, windowMs, limit, wanted()])) as LentHits,
          );
          borrowed.set(scope, own);
        },
        hit: (key) => own?.hit(key) ?? increment(key),
        increment,
        async decrement(key) {
          await ask(["take back", scope, key]);
        },
        async resetKey(key) {
          await ask(["forget", scope, key]);
        },
      };
    },
    giveBack: ([scope, key, resetAt]) => borrowed.get(scope)?.giveBack(key, resetAt) ?? 0,
    values: {
      get: async (key) => (await ask(["get", key])) as string | null,
      async set(key, value, seconds) {
        await ask(["set", key, value, seconds]);
      },
    },
  };
}
