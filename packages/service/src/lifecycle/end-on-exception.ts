import { setTimeout as wait } from "node:timers/promises";
import type { Service } from "../assembly/service.js";
import { loggedError } from "../logging/logged-error.js";

/** Tells the listeners of other services in this process from those of the user. */
const endKey = Symbol.for("servicekit.endOnException");

/** How long running requests may take when nobody knows any more what state the process is in, in milliseconds. */
const lastMs = 2_000;

/**
 * An exception that nobody caught, such as one thrown in a timer or an `error` event without a listener, ends the process
 * (contract C66): one fatal line tells it, running requests end within two seconds, and the exit code is 1.
 *
 * @returns what takes the listener away again
 */
export function endOnException(service: Service): () => void {
  let isEnding = false;
  const others = (): unknown[] => process.listeners("uncaughtException").filter((listener) => endKey in listener);
  const end = (error: unknown): void => {
    if (isEnding) return;
    isEnding = true;
    // Of a stop that is under way too.
    process.exitCode = 1;
    if (others()[0] === end) service.logger.fatal({ err: loggedError(error) }, "an exception that nobody caught");
    const closed = service.close({ drain: lastMs }).catch((reason: unknown) => {
      service.logger.error({ err: loggedError(reason) }, "the service did not stop cleanly");
    });
    void Promise.race([closed, wait(lastMs)]).then(() => {
      letGo();
      // The last service to stop ends the process, so that none cuts the answers of another.
      if (others().length === 0) process.exit();
    });
  };
  const letGo = (): void => void process.off("uncaughtException", end);
  Object.assign(end, { [endKey]: true });
  process.on("uncaughtException", end);
  return letGo;
}
