/** How much a queue takes. */
export interface FairQueueOptions {
  /** Tasks that run at once. */
  readonly running: number;
  /** Tasks that wait, of all clients together. */
  readonly waiting: number;
  /** Tasks of one client that wait. */
  readonly waitingPerClient: number;
  /** Makes the refusal of a task that finds no room: a 503 with `Retry-After`. */
  readonly refuse: () => Error;
}

/** Runs dear tasks, a few at a time; clients take turns, so that a flood of one costs the others one turn each. */
export interface FairQueue {
  /**
   * Runs a task when its client's turn comes, and gives its outcome.
   *
   * @param client whose task it is, such as the address of `clientAddress`
   * @param signal takes the task out while it waits; a task that runs has to heed it itself
   * @throws what `refuse` makes when too many wait, and the reason of the signal
   */
  run<Result>(client: string, task: () => Promise<Result>, signal?: AbortSignal): Promise<Result>;
}

/** Makes a queue with room for a few tasks: a flood is refused at once and not served for minutes (contract C59). */
export function makeFairQueue({ running, waiting, waitingPerClient, refuse }: FairQueueOptions): FairQueue {
  // The order of the clients is that of their turns.
  const turns = new Map<string, Set<() => void>>();
  let active = 0;
  let length = 0;

  const leave = (client: string, begin: () => void): void => {
    const own = turns.get(client);
    if (own?.delete(begin)) length--;
    if (own?.size === 0) turns.delete(client);
  };

  const free = (): void => {
    active--;
    for (const [client, own] of turns) {
      for (const begin of own) {
        turns.delete(client);
        turns.set(client, own);
        leave(client, begin);
        active++;
        begin();
        return;
      }
    }
  };

  const turn = (client: string, signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const own = turns.get(client) ?? new Set();
      turns.set(client, own.add(begin));
      length++;
      signal?.addEventListener("abort", giveUp, { once: true });
      function begin(): void {
        signal?.removeEventListener("abort", giveUp);
        resolve();
      }
      function giveUp(): void {
        leave(client, begin);
        reject(signal?.reason);
      }
    });

  return {
    async run(client, task, signal) {
      signal?.throwIfAborted();
      if (active < running) active++;
      else {
        if (length >= waiting || (turns.get(client)?.size ?? 0) >= waitingPerClient) throw refuse();
        await turn(client, signal);
      }
      try {
        return await task();
      } finally {
        free();
      }
    },
  };
}
