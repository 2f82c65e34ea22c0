import { setTimeout as wait } from "node:timers/promises";
import type { Service } from "../assembly/service.js";
import { loggedError } from "../logging/logged-error.js";

/** Distinguishes the listeners of other services in this process from those of the user. */
const endKey = Symbol.for("servicekit.endOnException");

/** Maximum duration of running requests while the state of the process is unknown, in milliseconds. */
const lastMs = 2_000;

/**
 * An uncaught exception, such as one in a timer or an `error` event without a listener, ends the process (contract
 * C66): it is logged in one fatal line, running requests end within two seconds, and the exit code is 1.
 *
 * @returns a function that removes the listener
 */
export function endOnException(service: Service): () => void {
  let isEnding = false;
  const others = (): unknown[] => process.listeners("uncaughtException").filter((listener) => endKey in listener);
  const end = (error: unknown): void => {
    if (isEnding) return;
    isEnding = true;
    // Also during a shutdown.
    process.exitCode = 1;
    if (others()[0] === end) service.logger.fatal({ err: loggedError(error) }, "uncaught exception");
    const closed = service.close({ drain: lastMs }).catch((reason: unknown) => {
      service.logger.error({ err: loggedError(reason) }, "the service did not stop cleanly");
    });
    void Promise.race([closed, wait(lastMs)]).then(() => {
      letGo();
      // The last service to stop ends the process, so that none aborts the responses of another.
      if (others().length === 0) process.exit();
    });
  };
  const letGo = (): void => void process.off("uncaughtException", end);
  Object.assign(end, { [endKey]: true });
  process.on("uncaughtException", end);
  return letGo;
}
