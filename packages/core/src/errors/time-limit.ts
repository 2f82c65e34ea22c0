/** In milliseconds: Node fires longer timers immediately. */
export const longestTimer = 2 ** 31 - 1;

/** Number of clock checks per time limit. */
const looks = 8;

/**
 * Calls `onLate` after this process has run for the given number of milliseconds. A pause of the process counts as one
 * of eight checks, and input that arrived during it is handled first, so that a blocked event loop does not cause
 * timeouts.
 *
 * @returns a function that cancels the limit
 */
export function startTimeLimit(milliseconds: number, onLate: () => void): () => void {
  let looked = 0;
  let end: NodeJS.Immediate | undefined;
  const lookMs = Math.min(Math.ceil(milliseconds / looks), longestTimer);
  keepList(lookMs);
  const timer = setTimeout(() => {
    looked++;
    if (looked < looks) timer.refresh();
    // Node reads pending input between the timers and this callback.
    else end = setImmediate(onLate);
  }, lookMs);
  return () => {
    clearTimeout(timer);
    clearImmediate(end);
  };
}

/**
 * The shortest check interval for which a timer list is retained, in milliseconds, and the number of such lists. Each
 * wakes the process once per interval.
 */
const shortestRetained = 500;
const maxLists = 16;
const lists = new Set<number>();

/**
 * Node stores timers of equal duration in a list, which it creates for the first and deletes with the last. This costs
 * more than the rest of a limit that is cancelled immediately, as most are. An unreferenced timer without effect
 * retains the list.
 */
function keepList(milliseconds: number): void {
  if (lists.has(milliseconds) || milliseconds < shortestRetained || lists.size >= maxLists) return;
  lists.add(milliseconds);
  setInterval(() => undefined, milliseconds).unref();
}

/**
 * Waits for a result for the given number of milliseconds in which this process ran ({@link startTimeLimit}).
 *
 * @throws the error of `makeError` if the time is exceeded
 */
export async function withTimeLimit<T>(
  result: PromiseLike<T>,
  milliseconds: number,
  makeError: () => Error,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const stop = startTimeLimit(milliseconds, () => reject(makeError()));
    // A result after the time limit has no receiver.
    result.then(resolve, reject).then(stop, stop);
  });
}
