import type { StoredField } from "./model.js";

/**
 * The value of a constant default, as it is written to the database.
 *
 * @param value in the form of contract C4
 */
export function constantDefault({ type }: StoredField, value: unknown): unknown {
  switch (type) {
    case "BigInt":
      return BigInt(String(value));
    case "DateTime":
      return new Date(String(value));
    case "Bytes":
      return new Uint8Array(Buffer.from(String(value), "base64"));
    default:
      return value;
  }
}
