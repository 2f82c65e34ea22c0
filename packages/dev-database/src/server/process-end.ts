const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const ours = Symbol("servicekit.processEnd");

/**
 * Calls `act` once when this process ends: on its `exit` event, or on a signal that nobody else listens to and that
 * therefore ends it. Where the program has its own signal handler, that handler decides.
 *
 * @returns a function that takes the call back.
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
