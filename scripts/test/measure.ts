/** The least processor time of several runs, in microseconds: what else the machine does counts for little. */
export async function processorTime(work: () => unknown, runs = 5): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, user + system);
  }
  return least;
}

/**
 * Below this a comparison says nothing: on a slow machine the first touch of the memory for a large text takes milliseconds,
 * and a small text needs none. A loop that is not in proportion takes eighty at the smallest size in use.
 */
const measurable = 10_000;

/**
 * How many times longer the work takes for four times the size: about 4 where time is in proportion, 16 and more where it
 * is not, and 0 where even the large one takes next to no time. The smallest of some tries: noise only adds.
 */
export async function growth(work: (size: number) => unknown, size: number): Promise<number> {
  for (let run = 0; run < 3; run++) await work(size);
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 3; attempt++) {
    const large = await processorTime(() => work(4 * size));
    if (large < measurable) return 0;
    least = Math.min(least, large / Math.max(1, await processorTime(() => work(size))));
  }
  return least;
}

/** What {@link growth} may be at most, for work whose time is in proportion to its size. */
export const inProportion = 9;
