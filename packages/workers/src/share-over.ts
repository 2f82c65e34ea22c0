import type { HitCount, SharedAnswer, SharedAsk } from "./shared-state.js";

/** Where hits of one scope are counted; it fits where `express-rate-limit` wants a store. */
export interface SharedCounts {
  init(options: { readonly windowMs: number }): void;
  increment(key: string): Promise<{ totalHits: number; resetTime: Date }>;
  decrement(key: string): Promise<void>;
  resetKey(key: string): Promise<void>;
}

/** What a worker shares with the others. */
export interface SharedFace {
  /** The counts of one scope: what is counted in one is not counted in another. */
  makeStore(scope: string): SharedCounts;
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
  let asks: SharedAsk[] = [];
  let waiting: Waiting[] = [];
  const send = (): void => {
    const sent = waiting;
    const carried = carry(asks);
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
  const ask = (one: SharedAsk): Promise<SharedAnswer> => {
    // When all that came in with it has been read.
    if (asks.push(one) === 1) setImmediate(send);
    return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
  };
  return {
    makeStore(scope) {
      let window = 60_000;
      return {
        init({ windowMs }) {
          window = windowMs;
        },
        async increment(key) {
          const [totalHits, resetAt] = (await ask(["hit", scope, key, window])) as HitCount;
          return { totalHits, resetTime: new Date(resetAt) };
        },
        async decrement(key) {
          await ask(["take back", scope, key]);
        },
        async resetKey(key) {
          await ask(["forget", scope, key]);
        },
      };
    },
    values: {
      get: async (key) => (await ask(["get", key])) as string | null,
      async set(key, value, seconds) {
        await ask(["set", key, value, seconds]);
      },
    },
  };
}
