import type { Client, Pool, PoolClient } from "pg";

/** At most once in so many milliseconds: a database that stays read-only would get a new connection for each write. */
const minIntervalMs = 1_000;

/**
 * Returns a function that replaces all connections of a pool: idle ones immediately, used ones when they are released.
 */
export function dropper(pool: Pool): () => void {
  const idle = new Set<PoolClient>();
  const used = new Set<PoolClient>();
  const stale = new WeakSet<PoolClient>();
  let last = Number.NEGATIVE_INFINITY;
  pool.on("acquire", (client) => {
    idle.delete(client);
    used.add(client);
  });
  pool.on("release", (_error, client) => {
    used.delete(client);
    // The pool removes an ended one.
    if (stale.has(client)) client.end();
    else idle.add(client);
  });
  pool.on("remove", (client) => {
    idle.delete(client);
    used.delete(client);
  });
  return () => {
    const now = performance.now();
    if (now - last < minIntervalMs) return;
    last = now;
    for (const client of used) stale.add(client);
    // An error, upon which the pool removes it.
    for (const client of idle) (client as PoolClient & Client).connection.stream.destroy();
  };
}
