/** The running time in milliseconds after which the exit of a worker is unrelated to the one before it. */
const longRunMs = 10_000;
const firstPauseMs = 500;
const longestPauseMs = 30_000;

/** The exit of a worker. */
export interface WorkerExit {
  /** How long it ran, in milliseconds. */
  readonly ranMs: number;
  /** The number of consecutive early exits before it. */
  readonly earlyExits: number;
}

/** The pause before a worker is replaced: none at first, then doubled each time, up to 30 s. */
export function pauseBefore({ ranMs, earlyExits: before }: WorkerExit): {
  readonly pauseMs: number;
  readonly earlyExits: number;
} {
  const earlyExits = ranMs >= longRunMs ? 1 : before + 1;
  const pauseMs = earlyExits === 1 ? 0 : Math.min(firstPauseMs * 2 ** (earlyExits - 2), longestPauseMs);
  return { pauseMs, earlyExits };
}
