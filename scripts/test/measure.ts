/** The minimum processor time of several runs, in microseconds, to exclude other programs. */
export async function processorTime(work: () => unknown, runs = 5): Promise<number> {
  let min = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    min = Math.min(min, user + system);
  }
  return min;
}

/**
 * The processor time of one work divided by that of another. They alternate, so that a slow moment of the machine affects both.
 *
 * @param runs of each
 */
export async function timeRatio(work: () => unknown, other: () => unknown, runs = 9): Promise<number> {
  let [time, otherTime] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let run = 0; run < runs; run++) {
    time = Math.min(time, await processorTime(work, 1));
    otherTime = Math.min(otherTime, await processorTime(other, 1));
  }
  return time / otherTime;
}

/**
 * Below this a comparison means nothing: on a slow machine the first access to the memory of a large text takes
 * milliseconds, and a small text needs none. A quadratic loop takes eighty at the smallest size in use.
 */
const measurable = 10_000;

/**
 * How many times longer the work takes for sixteen times the size: about 16 if time is linear, 256 and more if it is not,
 * and 0 if even the large one takes almost no time. Large texts leave the caches of the processor and are collected
 * more often, which can double their time; noise only adds, so it is measured again, up to ten times, until it is linear.
 *
 * @param size a quarter of the large size.
 */
export async function growth(work: (size: number) => unknown, size: number): Promise<number> {
  for (let run = 0; run < 3; run++) await work(size);
  let min = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 10 && min >= inProportion; attempt++) {
    const large = await processorTime(() => work(4 * size));
    if (large < measurable) return 0;
    min = Math.min(min, large / Math.max(1, await processorTime(() => work(size / 4))));
  }
  return min;
}

/** The maximum of {@link growth} for linear work: as far from 16 as from 256. */
export const inProportion = 64;

/**
 * The longest turn of the event loop while some work runs, in milliseconds. Other programs only add to it, so the minimum of
 * up to ten attempts is returned, until it is below the limit.
 */
export async function longestTurn(work: () => unknown, limit: number): Promise<number> {
  let min = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 10 && min >= limit; attempt++) min = Math.min(min, await turnOf(work));
  return min;
}

async function turnOf(work: () => unknown): Promise<number> {
  let isOver = false;
  let max = 0;
  let began = performance.now();
  const next = (): void => {
    const now = performance.now();
    max = Math.max(max, now - began);
    began = now;
    if (!isOver) setImmediate(next);
  };
  setImmediate(next);
  await work();
  isOver = true;
  next();
  return max;
}
