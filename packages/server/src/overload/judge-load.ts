/** What was seen of a service since it was looked at last. */
export interface LoadSeen {
  readonly ms: number;
  /** The part of that time in which the event loop had something to do. */
  readonly utilization: number;
  /** How long a turn of the event loop took on average, in milliseconds. */
  readonly turn: number;
  /** Requests that were finished. */
  readonly finished: number;
  /** The fewest that were at work at a time. */
  readonly leastAtWork: number;
  /** The fewest that waited for their turn at a time. */
  readonly leastInLine: number;
  /** Connections of the database's pool, and who waits for one now. */
  readonly pool: { readonly size: number; readonly waiting: number };
}

/** What a service may take on until it is looked at again. */
export interface LoadAllowed {
  /** Requests at work and in line; one more would wait too long. */
  readonly most: number;
  /** Requests at work at a time; the others stand in line. */
  readonly lanes: number;
  /** Whether the service has had no rest for a while. */
  readonly isFull: boolean;
}

/** An event loop that rests less has more to do than it can, and one that rests more could do as much again. */
const fullLoop = 0.95;
const idleLoop = 0.8;
/** One that waits longer than this for the database, while requests stand in line, could do more. */
const restless = 0.99;
/**
 * Milliseconds of a turn of the event loop that are long: what comes in meanwhile is refused only when it ends. In shorter ones
 * less is done at once, and that costs more: statements of one turn go to the database together.
 */
const longTurn = 3;
/** So many looks in a row must find no rest: a single long computation, and what came in meanwhile, is no overload. */
const longFull = 3;
/** Over how many looks a rate is measured. */
const rateLooks = 3;
/** What the last looks have shown: the highest rate counts, and the lowest number of those at work while there was rest. */
const keptLooks = 10;
/** With fewer at work the event loop would wait for the database. */
const fewestLanes = 2;

/**
 * Judges how many requests a service may take on, so that none waits longer than so many milliseconds: as many as it finishes
 * in that time (Little's law). How many it finishes says what it can do only while it can do no more: while its event loop
 * has no rest, or requests wait for a connection of the pool. Otherwise it says what clients ask for, and nothing is bounded.
 *
 * Where the event loop is what is short, only so many are let to work at a time that its turns are short, in which new requests
 * are read and refused, and one new connection is accepted; nothing is finished later by that.
 */
export function judgeLoad(maxWait: number): (seen: LoadSeen) => LoadAllowed {
  let most = Number.POSITIVE_INFINITY;
  let lanes = Number.POSITIVE_INFINITY;
  /** How many were at work when nobody had to wait: slow answers, and handlers that wait for others. */
  let resting = 0;
  const calm: number[] = [];
  let fullLooks = 0;
  const recent: LoadSeen[] = [];
  const rates: number[] = [];

  const bestRate = (seen: LoadSeen): number => {
    recent.push(seen);
    if (recent.length > rateLooks) recent.shift();
    const sum = (of: "finished" | "ms"): number => recent.reduce((all, look) => all + look[of], 0);
    rates.push(sum("finished") / sum("ms"));
    if (rates.length > keptLooks) rates.shift();
    return Math.max(...rates);
  };

  return (seen) => {
    const { utilization, turn, leastAtWork, leastInLine, pool } = seen;
    const rate = bestRate(seen);
    if (utilization < fullLoop && pool.waiting === 0 && leastInLine === 0) {
      fullLooks = 0;
      calm.push(leastAtWork);
      if (calm.length > keptLooks) calm.shift();
      resting = Math.min(...calm);
      // Not all at once: what comes now may be as much as before.
      most *= 2;
      lanes *= 2;
    } else if (++fullLooks >= longFull) {
      resting = Math.min(resting, leastAtWork);
      most = resting + Math.max(pool.size, rate * maxWait);
      if (utilization >= fullLoop) {
        const busyTurn = turn * utilization;
        const step = busyTurn > longTurn ? -1 : utilization < restless || busyTurn < longTurn / 2 ? 1 : 0;
        lanes = Math.max(resting + fewestLanes, Math.min(lanes + step, resting + pool.size));
      } else lanes = utilization < idleLoop ? lanes * 2 : lanes + 1;
    }
    return { most, lanes, isFull: fullLooks >= longFull };
  };
}
