import { StartError } from "@servicekit/core";
import type { WorkerLink } from "@servicekit/server/internal";
import type { ReadSettings } from "../config/settings.js";
import { makeLogger } from "../logging/make-logger.js";

/** What the end of a worker may take beside the times of the configuration, in milliseconds. */
const spareMs = 10_000;

/**
 * The link of this process to the other workers, where it is one of them (contract C78). Where it is to be their primary, it
 * becomes that: nothing comes back, and the process ends with its workers. `undefined` without `workers`, and under
 * `service dev`, which runs one process.
 *
 * @throws {StartError} where this process cannot be a primary
 */
export async function openWorkers({ settings, faults }: ReadSettings): Promise<WorkerLink | undefined> {
  const { workers, shutdown } = settings;
  // What is wrong is told by the start itself, once.
  if (workers === undefined || faults.length > 0 || process.env.SERVICEKIT_DEV) return undefined;
  const { joinWorkers, runWorkers } = await import("@servicekit/server/internal");
  const link = joinWorkers();
  if (link !== undefined) return link;
  const { default: cluster } = await import("node:cluster");
  if (cluster.isWorker) throw fault(ofAnother);
  if (process.argv[1] === undefined) throw fault(noFile);
  const logger = settings.logger ?? (await makeLogger(settings.nodeEnv, settings.logLevel));
  process.exit(await runWorkers({ workers, stopMs: shutdown.delay + shutdown.drain + spareMs, log: logger }));
}

const ofAnother = "this process is a worker of another cluster already: start it without that, or leave workers out.";
const noFile =
  "workers run the file of the program again, and this program is none: write it into one, or leave workers out.";

const fault = (message: string): StartError => new StartError([{ where: "workers", message }]);
