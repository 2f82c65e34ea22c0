import { StartupError } from "@servicekit/core";
import type { WorkerLink } from "@servicekit/server/internal";
import type { ReadSettings } from "../config/settings.js";
import { makeLogger } from "../logging/make-logger.js";

/** The end of a worker may take this long in addition to the configured times, in milliseconds. */
const spareMs = 10_000;

/**
 * The link of this process to the other workers, if it is one of them (contract C78). If it is to be their primary, it
 * becomes that: the promise never resolves, and the process ends with its workers. `undefined` without `workers`, and
 * under `service dev`, which runs one process.
 *
 * @throws {StartupError} if this process cannot be a primary
 */
export async function openWorkers({ settings, issues }: ReadSettings): Promise<WorkerLink | undefined> {
  const { workers, shutdown } = settings;
  // Issues are reported by startup itself, once.
  if (workers === undefined || issues.length > 0 || process.env.SERVICEKIT_DEV) return undefined;
  const { joinWorkers, runWorkers } = await import("@servicekit/server/internal");
  const link = joinWorkers();
  if (link !== undefined) return link;
  const { default: cluster } = await import("node:cluster");
  if (cluster.isWorker) throw issue(ofAnother);
  if (process.argv[1] === undefined) throw issue(noFile);
  const logger = settings.logger ?? (await makeLogger(settings.nodeEnv, settings.logLevel));
  process.exit(await runWorkers({ workers, stopMs: shutdown.delay + shutdown.drain + spareMs, log: logger }));
}

const ofAnother =
  "this process is already a worker of another cluster: start it without that cluster, or remove workers.";
const noFile =
  "workers run the program's file again, and this program is not a file: save it to a file, or remove workers.";

const issue = (message: string): StartupError => new StartupError([{ where: "workers", message }]);
