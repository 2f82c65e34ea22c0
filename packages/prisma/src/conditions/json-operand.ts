/** A JSON value as an operand; without the wrapper an object is rejected. */
export class JsonOperand {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
    Object.freeze(this);
  }
}

/** Wraps a JSON value, validated by the caller, as an operand for a `Json` field. */
export function json(value: unknown): JsonOperand {
  return new JsonOperand(value);
}
