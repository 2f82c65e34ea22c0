/** A read-only map: freezing a `Map` does not protect its entries. */
export class FrozenMap<Key, Value> extends Map<Key, Value> {
  #isFilled = false;

  constructor(entries: Iterable<readonly [Key, Value]>) {
    super();
    for (const [key, value] of entries) super.set(key, value);
    this.#isFilled = true;
    Object.freeze(this);
  }

  override set(key: Key, value: Value): this {
    if (this.#isFilled) throw new TypeError("Models are read-only.");
    return super.set(key, value);
  }

  override delete(): never {
    throw new TypeError("Models are read-only.");
  }

  override clear(): never {
    throw new TypeError("Models are read-only.");
  }
}
