/** A copy of a schema with every `$ref` replaced by the result of `rename`. */
export function rewriteReferences<Value>(value: Value, rename: (reference: string) => string): Value {
  if (Array.isArray(value)) return value.map((item) => rewriteReferences(item, rename)) as Value;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) =>
      key === "$ref" && typeof inner === "string" ? [key, rename(inner)] : [key, rewriteReferences(inner, rename)],
    ),
  ) as Value;
}
