/** A source of random decisions. */
export interface Draw {
  /** A number from 0 to below 1. */
  random(): number;
  chance(share: number): boolean;
  /** An integer from 0 to below this one. */
  below(count: number): number;
  pick<Item>(items: readonly Item[]): Item;
}

/** A source that is the same for the same seed. */
export function makeDraw(seed: number): Draw {
  const random = makeRandom(seed);
  const below = (count: number): number => Math.floor(random() * count);
  return {
    random,
    chance: (share) => random() < share,
    below,
    pick: (items) => items[below(items.length)] as never,
  };
}

/** A generator of numbers from 0 to 1 (mulberry32), the same for the same seed. */
export function makeRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
