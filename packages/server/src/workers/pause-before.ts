/** A worker that has served so long has died of something else than the one before it, in milliseconds. */
const longLifeMs = 10_000;
const firstPauseMs = 500;
const longestPauseMs = 30_000;

/** How a worker has ended. */
export interface WorkerLife {
  /** How long it has served, in milliseconds. */
  readonly livedMs: number;
  /** How many before it have died one soon after the other. */
  readonly deaths: number;
}

/** How long is waited before another takes the place of a worker: not at all, then twice as long each time, up to 30 s. */
export function pauseBefore({ livedMs, deaths: before }: WorkerLife): {
  readonly pauseMs: number;
  readonly deaths: number;
} {
  const deaths = livedMs >= longLifeMs ? 1 : before + 1;
  const pauseMs = deaths === 1 ? 0 : Math.min(firstPauseMs * 2 ** (deaths - 2), longestPauseMs);
  return { pauseMs, deaths };
}
