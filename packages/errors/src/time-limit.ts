/** In milliseconds: a timer of Node's that is longer ends at once. */
export const longestTimer = 2 ** 31 - 1;

/** How many looks at the clock make one time limit. */
const looks = 8;

/**
 * Calls `onLate` after so many milliseconds in which this process ran. A while in which it stood still, whatever held it,
 * counts as one look of eight; what had come in by then is heard first. So nobody else is blamed for it.
 *
 * @returns ends the wait
 */
export function startTimeLimit(milliseconds: number, onLate: () => void): () => void {
  let looked = 0;
  let end: NodeJS.Immediate | undefined;
  const timer = setTimeout(
    () => {
      looked++;
      if (looked < looks) timer.refresh();
      // Between the timers and this Node reads what has come in.
      else end = setImmediate(onLate);
    },
    Math.min(Math.ceil(milliseconds / looks), longestTimer),
  );
  return () => {
    clearTimeout(timer);
    clearImmediate(end);
  };
}

/**
 * Waits for an answer so many milliseconds in which this process ran ({@link startTimeLimit}).
 *
 * @throws what `makeError` makes, when none has come by then
 */
export async function withTimeLimit<T>(
  answer: PromiseLike<T>,
  milliseconds: number,
  makeError: () => Error,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const stop = startTimeLimit(milliseconds, () => reject(makeError()));
    // An answer after the time limit has nobody left to tell.
    answer.then(resolve, reject).then(stop, stop);
  });
}
