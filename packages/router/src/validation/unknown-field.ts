import { type IssuePlace, type ValidationIssue } from "@servicekit/core";
import { nearestWord, toJsonPointer } from "@servicekit/core/internal";

/**
 * The issue of an unknown key, at its own place, with the nearest known one.
 *
 * @param known the allowed keys at its place
 */
export function unknownField(
  path: readonly PropertyKey[],
  place: IssuePlace,
  known: readonly string[] = [],
): ValidationIssue {
  const near = nearestWord(String(path.at(-1)), known);
  const message = `Unknown key${near === undefined ? "." : `. Did you mean ${near}?`}`;
  return { in: place, path: toJsonPointer(path), code: "UnknownField", message };
}
