/** A document as JSON in pieces, each of which takes a few milliseconds; together they equal `JSON.stringify`. */
export function* jsonPieces(document: object, depth = 0): Generator<string> {
  let separator = "{";
  for (const [key, value] of Object.entries(document)) {
    if (value === undefined) continue;
    yield `${separator}${JSON.stringify(key)}:`;
    separator = ",";
    const isMap = typeof value === "object" && value !== null && !Array.isArray(value);
    if (isMap && depth < 2) yield* jsonPieces(value, depth + 1);
    else yield JSON.stringify(value);
  }
  yield separator === "{" ? "{}" : "}";
}
