import type { Service } from "../assembly/service.js";
import { loggedError } from "../logging/logged-error.js";

/** Tells the listeners of other services in this process from those of the user. */
const stopKey = Symbol.for("servicekit.stopOnSignal");

const isStop = (listener: object): boolean => stopKey in listener;

/**
 * SIGTERM and SIGINT stop a service (contract C41, C66): it goes on for `shutdown.delay`, lets running requests end, and
 * the process exits. A second signal exits at once, but in a worker (C78): it gets those of its group beside the one of its primary,
 * which ends it at once where that is asked for.
 *
 * @returns what takes the listeners away again
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
        // The last service to stop ends the process, so that none cuts the answers of another.
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
