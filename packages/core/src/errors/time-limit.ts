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
  const lookMs = Math.min(Math.ceil(milliseconds / looks), longestTimer);
  keepList(lookMs);
  const timer = setTimeout(() => {
    looked++;
    if (looked < looks) timer.refresh();
    // Between the timers and this Node reads what has come in.
    else end = setImmediate(onLate);
  }, lookMs);
  return () => {
    clearTimeout(timer);
    clearImmediate(end);
  };
}

/** The shortest looks that a list is kept for, in milliseconds, and how many lists are: each wakes the process once a look. */
const shortestKept = 500;
const mostLists = 16;
const lists = new Set<number>();

/**
 * Node keeps timers of one length in a list, which it makes for the first and drops with the last: dearer than all else of a
 * limit that is ended at once, as that of most requests is. A timer that does nothing, and keeps no process alive, holds the list.
 */
function keepList(milliseconds: number): void {
  if (lists.has(milliseconds) || milliseconds < shortestKept || lists.size >= mostLists) return;
  lists.add(milliseconds);
  setInterval(() => undefined, milliseconds).unref();
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
