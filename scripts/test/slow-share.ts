import { randomInt } from "node:crypto";

/**
 * The share of the drawn cases that a slow test runs: all of them, unless `SLOW_SHARE` is set. A clean checkout runs a
 * tenth of them, to finish within half an hour.
 */
export const slowShare = Number(process.env.SLOW_SHARE ?? 1);

/** The share of a number of cases that is run. */
export const drawn = (total: number): number => Math.ceil(total * slowShare);

/** A random sample of the items, drawn anew in each run, in their order. */
export function someOf<T>(items: readonly T[]): readonly T[] {
  const left = items.map((_, index) => index);
  const taken = new Set(Array.from({ length: drawn(items.length) }, () => left.splice(randomInt(left.length), 1)[0]));
  return items.filter((_, index) => taken.has(index));
}

/** A random one of the items if only a share of the cases is run, otherwise all: for cases of which each takes long. */
export const oneOf = <T>(items: readonly T[]): readonly T[] =>
  slowShare < 1 ? items.slice(randomInt(items.length)).slice(0, 1) : items;

/** Whether a part runs that other tests show as well: always, or once in so many runs of a share of the cases. */
export const isDrawnOnceIn = (runs: number): boolean => slowShare >= 1 || randomInt(runs) === 0;
