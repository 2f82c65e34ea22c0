/** Runs tasks, a few at a time, in the order in which they came. */
export interface TaskQueue {
  /**
   * Runs a task when its turn comes.
   *
   * @returns its outcome, or `undefined` when too many wait already
   */
  run<Result>(task: () => Promise<Result>): Promise<Result> | undefined;
}

/** How much a queue takes. */
export interface QueueLimits {
  /** Tasks that run at once. */
  readonly running: number;
  /** Tasks that wait. */
  readonly waiting: number;
}

/** Makes a queue with room for a few tasks, so that a flood is refused at once and not served for minutes. */
export function makeTaskQueue({ running, waiting }: QueueLimits): TaskQueue {
  const queue: (() => void)[] = [];
  let active = 0;

  const free = (): void => {
    const next = queue.shift();
    if (next === undefined) active--;
    else next();
  };

  const turn = (): Promise<void> => {
    if (active < running) {
      active++;
      return Promise.resolve();
    }
    return new Promise((resolve) => queue.push(resolve));
  };

  return {
    run(task) {
      if (active >= running && queue.length >= waiting) return undefined;
      return turn().then(task).finally(free);
    },
  };
}
