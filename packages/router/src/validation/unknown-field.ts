import { type FaultPlace, type FieldFault } from "@servicekit/core";
import { nearestWord, toJsonPointer } from "@servicekit/core/internal";

/**
 * A key that no schema knows, at its own place, with the nearest one that is known there.
 *
 * @param known the keys that may stand at its place
 */
export function unknownField(
  path: readonly PropertyKey[],
  place: FaultPlace,
  known: readonly string[] = [],
): FieldFault {
  const near = nearestWord(String(path.at(-1)), known);
  const message = `This key is not known here${near === undefined ? "." : `; did you mean ${near}?`}`;
  return { in: place, path: toJsonPointer(path), code: "UnknownField", message };
}
