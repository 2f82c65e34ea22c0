import type { WorkerLink } from "@servicekit/server/internal";
import { type DestinationStream, type Logger, pino } from "pino";
import type { ServiceSettings } from "../config/settings.js";
import { makeHeldLines } from "./held-lines.js";

/**
 * Makes the logger of a service: one JSON line for each event, or lines for people in development.
 *
 * @param destination where the lines go; the standard output unless given
 */
export async function makeLogger(nodeEnv: string, level: string, destination?: DestinationStream): Promise<Logger> {
  const stdout = process.stdout.fd || 1;
  if (nodeEnv !== "development")
    return pino({ level }, destination ?? makeHeldLines(pino.destination({ dest: stdout, contentMode: "buffer" })));
  // Only development needs the pretty form: it is not loaded elsewhere.
  const { default: pretty } = await import("pino-pretty");
  return pino({ level }, pretty({ sync: true, ignore: "pid,hostname", destination: destination ?? stdout }));
}

/** The logger of a service: the one of its settings, or one of ours. Where it is one of several workers each line says which. */
export async function openLogger(
  { logger, nodeEnv, logLevel }: ServiceSettings,
  worker: WorkerLink | undefined,
): Promise<Logger> {
  const made = logger ?? (await makeLogger(nodeEnv, logLevel));
  return worker === undefined ? made : made.child({ worker: worker.worker });
}
