import type { Setup } from "./cases.js";

/** A case of an invariant: its setup and lists of steps, all JSON. */
export interface Shrinkable {
  readonly setup: Setup;
}

/** The time that shrinking takes at most, in milliseconds. */
const patienceMs = 240_000;

/**
 * Removes parts of a failing case as long as it fails: all of a list, halves, and so on to single members.
 *
 * @param lists the names of the lists of steps, those that matter least first
 * @param fails runs a case
 */
export async function shrink<Case extends Shrinkable>(
  original: Case,
  lists: readonly (keyof Case)[],
  fails: (one: Case) => Promise<boolean>,
): Promise<Case> {
  const end = Date.now() + patienceMs;
  let best = original;
  const attempt = async (smaller: Case): Promise<void> => {
    if (Date.now() > end) return;
    // A case without a row that others reference cannot start.
    if (await fails(smaller).catch(() => false)) best = smaller;
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
    for (let size = read(best).length; size >= 1; size = Math.floor(size / 2)) {
      for (let from = read(best).length - size; from > -size; from -= size) {
        const items = read(best);
        const start = Math.max(0, from);
        await attempt(write(best, [...items.slice(0, start), ...items.slice(start + size)]));
      }
    }
  }
  return best;
}

interface Part<Case> {
  read(one: Case): readonly unknown[];
  write(one: Case, items: readonly unknown[]): Case;
}
