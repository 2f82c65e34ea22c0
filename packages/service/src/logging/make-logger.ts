import type { WorkerLink } from "@servicekit/server/internal";
import { type DestinationStream, type Logger, pino } from "pino";
import type { ServiceSettings } from "../config/settings.js";
import { makeBufferedLines } from "./buffered-lines.js";

/**
 * Creates the logger of a service: one JSON line per event, or readable lines in development.
 *
 * @param destination where the lines are written; by default standard output
 */
export async function makeLogger(nodeEnv: string, level: string, destination?: DestinationStream): Promise<Logger> {
  const stdout = process.stdout.fd || 1;
  if (nodeEnv !== "development")
    return pino({ level }, destination ?? makeBufferedLines(pino.destination({ dest: stdout, contentMode: "buffer" })));
  // Only development uses the pretty format: it is not loaded otherwise.
  const { default: pretty } = await import("pino-pretty");
  return pino({ level }, pretty({ sync: true, ignore: "pid,hostname", destination: destination ?? stdout }));
}

/**
 * The logger of a service: the one of its settings, or ours. In one of several workers, each line contains its number.
 */
export async function openLogger(
  { logger, nodeEnv, logLevel }: ServiceSettings,
  worker: WorkerLink | undefined,
): Promise<Logger> {
  const made = logger ?? (await makeLogger(nodeEnv, logLevel));
  return worker === undefined ? made : made.child({ worker: worker.worker });
}
