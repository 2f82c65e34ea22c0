import { startTimeLimit } from "@servicekit/errors";
import type { Pool, PoolClient } from "pg";

type Acquired = (error: Error | undefined, client: PoolClient | undefined, release: (reason?: unknown) => void) => void;

/**
 * Lets only as many ask a pool as it has connections. The others wait here, first come first served, and not longer than
 * so many milliseconds in which this process ran: the pool's own timers blame the database for our standing still.
 *
 * @returns how many have a connection, or are getting one, and how many wait
 */
export function boundPool(pool: Pool, size: number, waitMs: number): () => { used: number; waiting: number } {
  const connect = pool.connect.bind(pool) as (callback: Acquired) => void;
  const waiting = new Set<() => void>();
  let used = 0;

  const giveOn = (): void => {
    used--;
    const [next] = waiting;
    next?.();
  };
  const take = (callback: Acquired): void => {
    used++;
    connect((error, client, release) => {
      if (client === undefined) {
        giveOn();
        callback(error, client, release);
        return;
      }
      const giveBack = client.release.bind(client);
      client.release = (reason) => {
        giveBack(reason);
        giveOn();
      };
      callback(undefined, client, client.release as typeof release);
    });
  };
  const acquire = (callback: Acquired): void => {
    if (used < size) {
      take(callback);
      return;
    }
    const begin = (): void => {
      waiting.delete(begin);
      stop();
      take(callback);
    };
    const stop = startTimeLimit(waitMs, () => {
      waiting.delete(begin);
      callback(new Error("timeout exceeded when trying to connect"), undefined, () => undefined);
    });
    waiting.add(begin);
  };
  Object.assign(pool, {
    connect: (callback?: Acquired) => {
      if (callback !== undefined) return acquire(callback);
      return new Promise((resolve, reject) => {
        acquire((error, client) => (client === undefined ? reject(error) : resolve(client)));
      });
    },
  });
  return () => ({ used, waiting: waiting.size });
}
