import type { Setup } from "./cases.js";

/** A case of an invariant: its setup and lists of steps, all JSON. */
export interface Shrinkable {
  readonly setup: Setup;
}

/** The time that shrinking takes at most, in milliseconds. */
const patienceMs = 90_000;

/**
 * Removes parts of a failing case as long as it fails: halves of its lists first, then single members.
 *
 * @param lists the names of the lists of steps, those that matter least first
 * @param fails runs a case; `undefined` if it holds
 */
export async function shrink<Case extends Shrinkable>(
  failing: Case,
  lists: readonly (keyof Case)[],
  fails: (one: Case) => Promise<string | undefined>,
): Promise<Case> {
  const end = Date.now() + patienceMs;
  let best = failing;
  const isSmaller = async (smaller: Case): Promise<boolean> => {
    if (Date.now() > end) return false;
    // A case without a row that others reference cannot start.
    const failure = await fails(smaller).catch(() => undefined);
    if (failure !== undefined) best = smaller;
    return failure !== undefined;
  };
  const parts: readonly Part<Case>[] = [
    ...lists.map(
      (name): Part<Case> => ({
        read: (one) => one[name] as readonly unknown[],
        write: (one, items) => ({ ...one, [name]: items }),
      }),
    ),
    ...(["features", "rows"] as const).map(
      (name): Part<Case> => ({
        read: (one) => one.setup[name],
        write: (one, items) => ({ ...one, setup: { ...one.setup, [name]: items } }),
      }),
    ),
  ];
  for (const { read, write } of parts) {
    for (let size = Math.ceil(read(best).length / 2); size >= 1; size = Math.floor(size / 2)) {
      for (let from = read(best).length - size; from > -size; from -= size) {
        const items = read(best);
        const start = Math.max(0, from);
        await isSmaller(write(best, [...items.slice(0, start), ...items.slice(start + size)]));
      }
    }
  }
  return best;
}

interface Part<Case> {
  read(one: Case): readonly unknown[];
  write(one: Case, items: readonly unknown[]): Case;
}
