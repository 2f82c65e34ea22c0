/** A map that nobody can change: freezing a `Map` leaves its entries open. */
export class FrozenMap<Key, Value> extends Map<Key, Value> {
  #isFilled = false;

  constructor(entries: Iterable<readonly [Key, Value]>) {
    super();
    for (const [key, value] of entries) super.set(key, value);
    this.#isFilled = true;
    Object.freeze(this);
  }

  override set(key: Key, value: Value): this {
    if (this.#isFilled) throw new TypeError("Models cannot be changed.");
    return super.set(key, value);
  }

  override delete(): never {
    throw new TypeError("Models cannot be changed.");
  }

  override clear(): never {
    throw new TypeError("Models cannot be changed.");
  }
}
