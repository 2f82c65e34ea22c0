import { Session } from "node:inspector/promises";
import { inProportion } from "./measure.js";

/** The distance in bytes between two samples of allocations. */
const samplingInterval = 16_384;

/** Below this a comparison means nothing: a few samples. */
const measurable = 2_000_000;

interface ProfileNode {
  readonly selfSize: number;
  readonly children: readonly ProfileNode[];
}

/** The bytes of the heap that some work allocates, also those that are collected meanwhile. Other programs do not affect it. */
export async function allocatedBytes(work: () => unknown): Promise<number> {
  const session = new Session();
  session.connect();
  try {
    const withCollected = { includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true };
    await session.post("HeapProfiler.startSampling", { samplingInterval, ...withCollected });
    await work();
    const { profile } = await session.post("HeapProfiler.stopSampling");
    return sizeOf(profile.head);
  } finally {
    session.disconnect();
  }
}

const sizeOf = ({ selfSize, children }: ProfileNode): number =>
  children.reduce((size, child) => size + sizeOf(child), selfSize);

/**
 * How many times more the work allocates for sixteen times the size: about 16 if it is linear, 256 if it is not, and 0 if even
 * the large one allocates almost nothing. Work in the background only adds to it, so up to three measurements are made.
 *
 * @param size a quarter of the large size.
 */
export async function heapGrowth(work: (size: number) => unknown, size: number): Promise<number> {
  let min = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 3 && min >= inProportion; attempt++) {
    const large = await allocatedBytes(() => work(4 * size));
    if (large < measurable) return 0;
    min = Math.min(min, large / Math.max(1, await allocatedBytes(() => work(size / 4))));
  }
  return min;
}
