import { setImmediate } from "node:timers/promises";

/** Awaited between pieces of work: gives the event loop back once the work has held it for as long as it may. */
export type Turn = () => Promise<void>;

/** Half of what a slice may take (contract C65): the piece that goes over it has the other half. */
const longest = 10;

/** Cuts long work into slices of at most 20 ms, as long as its pieces take less than 10 ms each (contract C65). */
export function takeTurns(): Turn {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < longest) return;
    await setImmediate();
    since = performance.now();
  };
}
