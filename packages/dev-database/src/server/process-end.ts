const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const ours = Symbol("servicekit.processEnd");

/**
 * Calls `act` once when this process exits: on its `exit` event, or on a signal without another listener, which would
 * end it. If the program has its own signal handler, that handler decides.
 *
 * @returns a function that cancels the call.
 */
export function onProcessEnd(act: () => void): () => void {
  const listener = Object.assign(
    (signal: NodeJS.Signals): void => {
      if (!process.listeners(signal).every((other) => ours in other)) return;
      takeBack();
      act();
      if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
    },
    { [ours]: true },
  );
  const takeBack = (): void => {
    process.off("exit", act);
    for (const signal of signals) process.off(signal, listener);
  };
  process.on("exit", act);
  for (const signal of signals) process.on(signal, listener);
  return takeBack;
}
