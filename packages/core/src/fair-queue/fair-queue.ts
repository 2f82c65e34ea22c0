/** How much a queue takes. */
export interface FairQueueOptions {
  /** Tasks that run at once. */
  readonly running: number;
  /** Tasks that wait, of all clients together. */
  readonly waiting: number;
  /** Tasks of one client that wait while others wait too. Alone it may fill the queue, and gives way when others come. */
  readonly waitingPerClient: number;
  /** Makes the refusal of a task that finds no room, or has given it to another: a 503 with `Retry-After`. */
  readonly refuse: () => Error;
}

/** How busy a queue is. */
export interface QueueLoad {
  readonly running: number;
  readonly waiting: number;
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
  /** How many tasks run and wait now. */
  load(): QueueLoad;
}

/** A task that waits. */
interface Waiting {
  begin(): void;
  giveUp(reason: unknown): void;
}

/** Makes a queue with room for a few tasks: a flood is refused at once and not served for minutes (contract C59). */
export function makeFairQueue({ running, waiting, waitingPerClient, refuse }: FairQueueOptions): FairQueue {
  // The order of the clients is that of their turns.
  const turns = new Map<string, Set<Waiting>>();
  let active = 0;
  let length = 0;

  const leave = (client: string, task: Waiting): void => {
    const own = turns.get(client);
    if (own?.delete(task)) length--;
    if (own?.size === 0) turns.delete(client);
  };

  const free = (): void => {
    active--;
    for (const [client, own] of turns) {
      for (const task of own) {
        turns.delete(client);
        turns.set(client, own);
        leave(client, task);
        active++;
        task.begin();
        return;
      }
    }
  };

  /** Makes room for one more of a client: the newest task of who has the most goes, where that is more than its share. */
  const makeRoom = (client: string): void => {
    const own = turns.get(client)?.size ?? 0;
    const isAlone = length === own;
    if (isAlone ? length >= waiting : own >= waitingPerClient) throw refuse();
    if (isAlone) return;
    let most: Set<Waiting> = new Set();
    for (const [other, tasks] of turns) if (other !== client && tasks.size > most.size) most = tasks;
    const isOverShare = most.size > waitingPerClient || (length >= waiting && most.size > own + 1);
    if (isOverShare) [...most].at(-1)?.giveUp(refuse());
    else if (length >= waiting) throw refuse();
  };

  const turn = (client: string, signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const own = turns.get(client) ?? new Set();
      const onAbort = (): void => task.giveUp(signal?.reason);
      const task: Waiting = {
        begin() {
          signal?.removeEventListener("abort", onAbort);
          resolve();
        },
        giveUp(reason) {
          signal?.removeEventListener("abort", onAbort);
          leave(client, task);
          reject(reason);
        },
      };
      turns.set(client, own.add(task));
      length++;
      signal?.addEventListener("abort", onAbort, { once: true });
    });

  return {
    load: () => ({ running: active, waiting: length }),
    async run(client, task, signal) {
      signal?.throwIfAborted();
      if (active < running) active++;
      else {
        makeRoom(client);
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
