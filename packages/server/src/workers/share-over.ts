import type { RateLimitStore } from "@servicekit/router";
import type { HitCount, SharedAnswer, SharedAsk } from "./shared-state.js";

/** What a worker shares with the others. */
export interface SharedFace {
  /** The store of one scope: what is counted in one is not counted in another. */
  makeStore(scope: string): RateLimitStore;
  /** Values with an expiry. */
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
 * The shared state as a worker uses it. The operations of one turn of the event loop are sent in one message.
 *
 * @param carry sends operations and returns their results; where it rejects, each operation of that turn rejects
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
    // After all requests that arrived in this turn have been read.
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
