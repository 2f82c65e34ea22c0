import type { RateLimitStore } from "@servicekit/router";
import type { HitCount, SharedCall, SharedResult } from "./shared-state.js";

/** The state that a worker shares with the others. */
export interface SharedFace {
  /** The store of one scope, whose counts are independent of other scopes. */
  makeStore(scope: string): RateLimitStore;
  /** Values with an expiry. */
  readonly values: {
    get(key: string): Promise<string | null>;
    set(key: string, value: string, seconds: number): Promise<void>;
  };
}

interface Waiting {
  readonly resolve: (response: SharedResult) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The shared state, as a worker uses it. The operations of one event loop tick are sent in one message.
 *
 * @param carry sends operations and returns their results; if it rejects, each operation of that tick rejects
 */
export function shareOver(carry: (calls: readonly SharedCall[]) => Promise<readonly SharedResult[]>): SharedFace {
  let calls: SharedCall[] = [];
  let waiting: Waiting[] = [];
  const send = (): void => {
    const sent = waiting;
    const carried = carry(calls);
    calls = [];
    waiting = [];
    carried.then(
      (responses) => {
        for (const [at, { resolve }] of sent.entries()) resolve(responses[at] ?? null);
      },
      (error: unknown) => {
        for (const { reject } of sent) reject(error);
      },
    );
  };
  const call = (one: SharedCall): Promise<SharedResult> => {
    // After all requests that arrived in this tick have been read.
    if (calls.push(one) === 1) setImmediate(send);
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
          const [totalHits, resetAt] = (await call(["hit", scope, key, window])) as HitCount;
          return { totalHits, resetTime: new Date(resetAt) };
        },
        async decrement(key) {
          await call(["take back", scope, key]);
        },
        async resetKey(key) {
          await call(["forget", scope, key]);
        },
      };
    },
    values: {
      get: async (key) => (await call(["get", key])) as string | null,
      async set(key, value, seconds) {
        await call(["set", key, value, seconds]);
      },
    },
  };
}
