/** The measurements of a service since the last check. */
export interface ObservedLoad {
  readonly ms: number;
  /** The fraction of that time in which the event loop was busy. */
  readonly utilization: number;
  /** The average duration of an event loop tick, in milliseconds. */
  readonly turn: number;
  /** Completed requests. */
  readonly finished: number;
  /** The minimum number of running requests. */
  readonly minRunning: number;
  /** The minimum number of queued requests. */
  readonly minQueued: number;
  /** The connections of the database pool, and the requests that wait for one. */
  readonly pool: { readonly size: number; readonly waiting: number };
}

/** The limits until the next check. */
export interface LoadAllowed {
  /** Running and queued requests; one more would wait too long. */
  readonly max: number;
  /** Running requests; the others are queued. */
  readonly maxRunning: number;
  /** Whether the service has had no idle time for a while. */
  readonly isFull: boolean;
}

/** An event loop with less idle time is overloaded, and one with more could do as much again. */
const fullLoop = 0.95;
const idleLoop = 0.8;
/** If it waits longer than this for the database while requests are queued, it could do more. */
const restless = 0.99;
/**
 * Milliseconds above which an event loop tick is long: requests that arrive during it are rejected only after it.
 * Shorter ticks do less per tick, which costs more, because the statements of one tick are sent to the database
 * together.
 */
const longTick = 3;
/** The number of consecutive checks without idle time that count as overload: a single long computation does not. */
const longFull = 3;
/** The number of checks over which a rate is measured. */
const rateChecks = 3;
/**
 * The results of the last checks: the highest rate counts, and the lowest number of running requests with idle time.
 */
const recentChecks = 10;
/** With fewer running requests, the event loop would wait for the database. */
const minConcurrency = 2;

/**
 * Determines how many requests a service may accept so that none waits longer than the given milliseconds: as many as
 * it completes in that time (Little's law). Its throughput is its capacity only if it is busy: if its event loop has no
 * idle time, or requests wait for a connection of the pool. Otherwise the throughput is the demand, and nothing is
 * limited.
 *
 * If the event loop is the bottleneck, only so many requests run concurrently that its ticks stay short, between which
 * new requests are read and rejected, and new connections accepted; this does not delay any request.
 */
export function assessLoad(maxWait: number): (seen: ObservedLoad) => LoadAllowed {
  let max = Number.POSITIVE_INFINITY;
  let maxRunning = Number.POSITIVE_INFINITY;
  /** How many ran when none had to wait: slow responses, and handlers that wait for other systems. */
  let resting = 0;
  const calm: number[] = [];
  let fullChecks = 0;
  const recent: ObservedLoad[] = [];
  const rates: number[] = [];

  const bestRate = (seen: ObservedLoad): number => {
    recent.push(seen);
    if (recent.length > rateChecks) recent.shift();
    const sum = (of: "finished" | "ms"): number => recent.reduce((all, one) => all + one[of], 0);
    rates.push(sum("finished") / sum("ms"));
    if (rates.length > recentChecks) rates.shift();
    return Math.max(...rates);
  };

  return (seen) => {
    const { utilization, turn, minRunning, minQueued, pool } = seen;
    const rate = bestRate(seen);
    if (utilization < fullLoop && pool.waiting === 0 && minQueued === 0) {
      fullChecks = 0;
      calm.push(minRunning);
      if (calm.length > recentChecks) calm.shift();
      resting = Math.min(...calm);
      // Gradually, because the demand may be as high as before.
      max *= 2;
      maxRunning *= 2;
    } else if (++fullChecks >= longFull) {
      resting = Math.min(resting, minRunning);
      max = resting + Math.max(pool.size, rate * maxWait);
      if (utilization >= fullLoop) {
        const busyTick = turn * utilization;
        const step = busyTick > longTick ? -1 : utilization < restless || busyTick < longTick / 2 ? 1 : 0;
        maxRunning = Math.max(resting + minConcurrency, Math.min(maxRunning + step, resting + pool.size));
      } else maxRunning = utilization < idleLoop ? maxRunning * 2 : maxRunning + 1;
    }
    return { max, maxRunning, isFull: fullChecks >= longFull };
  };
}
