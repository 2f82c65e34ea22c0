/** Numbers, choices and dates that look random and are the same on every run. */
export interface Random {
  /** From `min` to `max`, inclusive. */
  integer(min: number, max: number): number;
  chance(probability: number): boolean;
  pick<T>(from: readonly T[]): T;
  /** `count` different ones, in the order of the list; fewer if the list is shorter. */
  sample<T>(from: readonly T[], count: number): T[];
  /** A time from `from` to `until`, in full seconds. */
  date(from: Date, until: Date): Date;
  /** A version 4 UUID. */
  uuid(): string;
}

/** The mulberry32 generator: 32 bits of state, sufficient for realistic data. */
export function makeRandom(seed: number): Random {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  const hex = (digits: number) => Array.from({ length: digits }, () => integer(0, 15).toString(16)).join("");

  return {
    integer,
    chance: (probability) => next() < probability,
    pick: <T>(from: readonly T[]) => from[integer(0, from.length - 1)] as T,
    sample: <T>(from: readonly T[], count: number) => {
      const places = from.map((_, place) => place);
      while (places.length > count) places.splice(integer(0, places.length - 1), 1);
      return places.map((place) => from[place] as T);
    },
    date: (from, until) => {
      const start = Math.ceil(from.getTime() / 1000);
      return new Date(integer(start, Math.max(start, Math.floor(until.getTime() / 1000) - 1)) * 1000);
    },
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-${"89ab"[integer(0, 3)]}${hex(3)}-${hex(12)}`,
  };
}
