/** Runs the writes of a process one after the other, in the order in which they were queued. */
export interface WriteQueue {
  /**
   * Waits for the turn of a write.
   *
   * @returns a function that ends the turn; further calls of it have no effect
   * @throws {Error} if the turn has not come within the maximum wait
   */
  enter(): Promise<() => void>;
}

/** @param maxWaitMs maximum wait of a write in milliseconds */
export function makeWriteQueue(maxWaitMs: number): WriteQueue {
  const waiting: (() => void)[] = [];
  let isBusy = false;
  const makeLeave = (): (() => void) => {
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      const next = waiting.shift();
      if (next === undefined) isBusy = false;
      else next();
    };
  };
  return {
    enter: () => {
      if (!isBusy) {
        isBusy = true;
        return Promise.resolve(makeLeave());
      }
      return new Promise((resolve, reject) => {
        const start = (): void => {
          clearTimeout(timer);
          resolve(makeLeave());
        };
        const timer = setTimeout(() => {
          waiting.splice(waiting.indexOf(start), 1);
          // The message of the PostgreSQL pool, which has the same meaning.
          reject(new Error("timeout exceeded when trying to connect"));
        }, maxWaitMs);
        waiting.push(start);
      });
    },
  };
}
