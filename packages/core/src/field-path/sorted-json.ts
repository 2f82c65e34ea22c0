import { isPlainObject } from "./plain-object.js";

/** A JSON value with its keys in the order of PostgreSQL's `jsonb`: the shorter ones first. Other values are unchanged. */
export function sortedJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedJson);
  if (!isPlainObject(value)) return value;
  const byLength = (one: string, other: string): number =>
    Buffer.byteLength(one) - Buffer.byteLength(other) || Buffer.compare(Buffer.from(one), Buffer.from(other));
  return Object.fromEntries(
    Object.keys(value)
      .sort(byLength)
      .map((key) => [key, sortedJson(value[key])]),
  );
}
