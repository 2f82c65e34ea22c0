import type { Service } from "../assembly/service.js";
import { loggedError } from "../logging/logged-error.js";

/**
 * A promise that a handler left behind and that is rejected after the answer would end the process: it is logged instead.
 *
 * @returns what takes the listener away again
 */
export function outliveRejections({ logger }: Service): () => void {
  const log = (reason: unknown): void =>
    logger.error({ err: loggedError(reason) }, "a promise was rejected and nobody waited for it");
  process.on("unhandledRejection", log);
  return () => process.off("unhandledRejection", log);
}
