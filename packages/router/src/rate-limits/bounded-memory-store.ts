import { type ClientRateLimitInfo, MemoryStore, type Options } from "express-rate-limit";

/** Half of the maximum number of keys in one store: clients choose them, and must not control its memory. */
const maxKeys = 50_000;

/**
 * The memory store of `express-rate-limit` with a limit: when it is full, the keys that were idle longest are dropped.
 */
export class BoundedMemoryStore extends MemoryStore {
  /** Without the library's timer, which Node cannot set for windows of more than 24 days. */
  override init({ windowMs }: Pick<Options, "windowMs">): void {
    this.windowMs = windowMs;
  }

  /**
   * Returns a copy: the library returns the entry itself, so requests that are counted in the same tick, such as pipelined ones,
   * would all read the count of the last one.
   */
  override increment(key: string): Promise<ClientRateLimitInfo> {
    if (this.current.size >= maxKeys) {
      this.previous = this.current;
      this.current = new Map();
    }
    const counted = super.increment(key);
    const entry = this.current.get(key);
    return entry === undefined ? counted : Promise.resolve({ ...entry });
  }
}
