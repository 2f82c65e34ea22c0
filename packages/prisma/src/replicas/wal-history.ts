import type { WalPosition } from "./wal-position.js";

/** More than eight minutes of a primary that writes all the time. */
const maxSamples = 1_000;

/**
 * The positions of the primary as this process saw them. The lag of a replica follows from them without comparing
 * clocks, and an idle primary causes no lag.
 */
export class WalHistory {
  readonly #samples: { readonly position: WalPosition; readonly at: number }[] = [];

  /** @param at milliseconds of a monotonic clock */
  add(position: WalPosition, at: number): void {
    const last = this.#samples.at(-1);
    if (last !== undefined && position <= last.position) return;
    this.#samples.push({ position, at });
    if (this.#samples.length > maxSamples) this.#samples.shift();
  }

  /**
   * Returns for how many milliseconds a server at a position has been behind the primary; 0 if it is not behind.
   *
   * @param age the time since the last transaction that the server replayed, for a server that was behind from the beginning
   */
  lagOf(position: WalPosition, now: number, age = 0): number {
    const [first] = this.#samples;
    if (first === undefined) return 0;
    if (position < first.position) return Math.max(now - first.at, age);
    const next = this.#samples.find((sample) => sample.position > position);
    return next === undefined ? 0 : now - next.at;
  }
}
