import { startTimeLimit } from "@servicekit/core/internal";
import type { Pool, PoolClient } from "pg";

type Acquired = (error: Error | undefined, client: PoolClient | undefined, release: (reason?: unknown) => void) => void;

/**
 * Limits the concurrent users of a pool to its connections. The others wait here, first in first out, and not longer
 * than the given milliseconds in which this process ran: the pool's own timers would count a pause of this process.
 *
 * @returns how many have a connection, or are getting one, and how many wait
 */
export function boundPool(pool: Pool, size: number, waitMs: number): () => { used: number; waiting: number } {
  const connect = pool.connect.bind(pool) as (callback: Acquired) => void;
  // No set: see decision 0017.
  const waiting: (() => void)[] = [];
  let used = 0;

  const giveOn = (): void => {
    used--;
    waiting[0]?.();
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
    const leave = (): void => {
      waiting.splice(waiting.indexOf(begin), 1);
    };
    const begin = (): void => {
      leave();
      stop();
      take(callback);
    };
    const stop = startTimeLimit(waitMs, () => {
      leave();
      callback(new Error("timeout exceeded when trying to connect"), undefined, () => undefined);
    });
    waiting.push(begin);
  };
  Object.assign(pool, {
    connect: (callback?: Acquired) => {
      if (callback !== undefined) return acquire(callback);
      return new Promise((resolve, reject) => {
        acquire((error, client) => (client === undefined ? reject(error) : resolve(client)));
      });
    },
  });
  return () => ({ used, waiting: waiting.length });
}
