import type { Service } from "../assembly/service.js";
import { loggedError } from "../logging/logged-error.js";

/** Distinguishes the listeners of other services in this process from those of the user. */
const stopKey = Symbol.for("servicekit.stopOnSignal");

const isStop = (listener: object): boolean => stopKey in listener;

/**
 * SIGTERM and SIGINT stop a service (contract C41, C66): it continues for `shutdown.delay`, lets running requests end,
 * and the process exits. A second signal exits immediately, except in a worker (C78): it gets those of its process
 * group in addition to that of its primary, which kills it immediately if requested.
 *
 * @returns a function that removes the listeners
 */
export function stopOnSignals(service: Service, { isWorker }: { readonly isWorker: boolean }): () => void {
  const { config, logger } = service;
  let isStopping = false;
  const stop = (): void => {
    if (isStopping && isWorker) return;
    if (isStopping) process.exit(1);
    isStopping = true;
    service.close({ delay: config.shutdown.delay }).then(
      () => {
        letGo();
        // The last service to stop ends the process, so that none aborts the responses of another.
        if (!process.listeners("SIGTERM").some(isStop)) process.exit();
      },
      (error: unknown) => {
        logger.error({ err: loggedError(error) }, "the service did not stop cleanly");
        process.exit(1);
      },
    );
  };
  const signals = ["SIGTERM", "SIGINT"] as const;
  const letGo = (): void => {
    for (const signal of signals) process.off(signal, stop);
  };
  Object.assign(stop, { [stopKey]: true });
  for (const signal of signals) process.on(signal, stop);
  return letGo;
}
