import { setImmediate } from "node:timers/promises";

/** Awaited between pieces of work: yields to the event loop when the work has blocked it for the maximum time. */
export type Turn = () => Promise<void>;

/** Half of a slice's limit (contract C65): the last piece may use the other half. */
const longest = 10;

/** Splits long work into slices of at most 20 ms, if its pieces take less than 10 ms each (contract C65). */
export function makeTurn(): Turn {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < longest) return;
    await setImmediate();
    since = performance.now();
  };
}
