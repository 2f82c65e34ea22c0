import { availableParallelism } from "node:os";
import { type FairQueue, makeFairQueue } from "@servicekit/core/internal";
import { conversionsBusy } from "./change-image.js";

/** Half of libuv's pool of four: files, compression and DNS need it too. */
const maxThreads = 2;

/**
 * The queue of image conversions (contract C59): one core and half of the thread pool stay free. Six of a client may
 * wait, as many as a browser sends concurrently.
 */
export function makeConversionQueue(cores = availableParallelism()): FairQueue {
  return makeFairQueue({
    running: Math.max(1, Math.min(cores - 1, maxThreads)),
    waiting: 16,
    waitingPerClient: 6,
    reject: () => conversionsBusy(),
  });
}
