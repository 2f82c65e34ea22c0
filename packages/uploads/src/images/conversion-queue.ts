import { availableParallelism } from "node:os";
import { type FairQueue, makeFairQueue } from "@servicekit/core/internal";
import { conversionsBusy } from "./change-image.js";

/** Half of libuv's pool of four: files, compression and names of hosts need it too. */
const mostThreads = 2;

/**
 * The queue in which images are changed (contract C59): one core stays for everything else, and so does half of the
 * thread pool. Six of a client may wait, as many as a browser sends at once.
 */
export function makeConversionQueue(cores = availableParallelism()): FairQueue {
  return makeFairQueue({
    running: Math.max(1, Math.min(cores - 1, mostThreads)),
    waiting: 16,
    waitingPerClient: 6,
    refuse: () => conversionsBusy(),
  });
}
