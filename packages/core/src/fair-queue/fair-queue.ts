/** The capacity of a queue. */
export interface FairQueueOptions {
  /** Maximum number of running tasks. */
  readonly running: number;
  /** Maximum number of waiting tasks of all clients. */
  readonly waiting: number;
  /**
   * Maximum number of waiting tasks of one client while others wait too. A single client may fill the queue, and loses
   * tasks when others arrive.
   */
  readonly waitingPerClient: number;
  /** Creates the error of a task that finds no room or loses it to another: a 503 with `Retry-After`. */
  readonly reject: () => Error;
}

/** The load of a queue. */
export interface QueueLoad {
  readonly running: number;
  readonly waiting: number;
}

/** Runs expensive tasks, a few at a time. Clients alternate, so that a flood of one costs the others one task each. */
export interface FairQueue {
  /**
   * Runs a task when its client is next, and returns its outcome.
   *
   * @param client the client of the task, such as the address from `clientAddress`
   * @param signal removes the task while it waits; a running task has to observe it itself
   * @throws the error of `reject` if too many tasks wait, and the reason of the signal
   */
  run<Result>(client: string, task: () => Promise<Result>, signal?: AbortSignal): Promise<Result>;
  /** The number of running and waiting tasks. */
  load(): QueueLoad;
}

/** A task that waits. */
interface Waiting {
  begin(): void;
  giveUp(reason: unknown): void;
}

/**
 * Creates a queue with room for a few tasks: a flood is rejected immediately instead of being served for minutes
 * (contract C59).
 */
export function makeFairQueue({ running, waiting, waitingPerClient, reject: rejectWith }: FairQueueOptions): FairQueue {
  // The clients, in the order in which they are served.
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

  /** Makes room for one more task: removes the newest task of the client with the most, if that is above its share. */
  const makeRoom = (client: string): void => {
    const own = turns.get(client)?.size ?? 0;
    const isAlone = length === own;
    if (isAlone ? length >= waiting : own >= waitingPerClient) throw rejectWith();
    if (isAlone) return;
    let longest: Set<Waiting> = new Set();
    for (const [other, tasks] of turns) if (other !== client && tasks.size > longest.size) longest = tasks;
    const isOverShare = longest.size > waitingPerClient || (length >= waiting && longest.size > own + 1);
    if (isOverShare) [...longest].at(-1)?.giveUp(rejectWith());
    else if (length >= waiting) throw rejectWith();
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
