import type { Service } from "../assembly/service.js";
import { loggedError } from "../logging/logged-error.js";

/**
 * Logs an unhandled rejection, which would otherwise end the process after the response of its handler.
 *
 * @returns a function that removes the listener
 */
export function outliveRejections({ logger }: Service): () => void {
  const log = (reason: unknown): void => logger.error({ err: loggedError(reason) }, "unhandled rejection");
  process.on("unhandledRejection", log);
  return () => process.off("unhandledRejection", log);
}
