/** A JSON value as an operand: without it an object is refused as one. */
export class JsonOperand {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
    Object.freeze(this);
  }
}

/** Marks a JSON value, checked by the caller, as an operand for a `Json` field. */
export function json(value: unknown): JsonOperand {
  return new JsonOperand(value);
}
