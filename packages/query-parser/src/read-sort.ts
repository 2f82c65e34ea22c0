import { quote, reject } from "./query-errors.js";
import { fillLimits, overLimit, type QueryLimits } from "./query-limits.js";
import { checkPathSegment, splitSegments } from "./terms/split-name.js";

/** One key of an order: the path to a field, through relations, and the direction. */
export interface SortKey {
  readonly path: string[];
  readonly direction: "asc" | "desc";
}

/**
 * Reads `-createdAt,author.name` (or `author__name`): a leading `-` means descending.
 *
 * @param joinedNames names that contain `__` themselves
 * @throws {HttpError} 400 `MalformedQuery`, `ForbiddenKey`, or `QueryLimitExceeded` (`sortKeys`, `relationHops`)
 */
export function readSort(raw: string, limits?: Partial<QueryLimits>, joinedNames?: ReadonlySet<string>): SortKey[] {
  const filled = fillLimits(limits);
  const keys = raw.split(",", filled.sortKeys + 1);
  if (keys.length > filled.sortKeys) throw overLimit("sortKeys", filled, "sort");
  return keys.map((key) => {
    const descending = key.startsWith("-");
    const path = splitSegments(key.slice(descending ? 1 : 0), /\.|__(?!_)/y, joinedNames, filled.relationHops + 2);
    for (const segment of path) {
      if (segment === "" || (segment.endsWith("__") && joinedNames?.has(segment) !== true)) {
        throw reject("MalformedQuery", "sort", `The sort key ${quote(key)} does not name a field.`);
      }
      if (path.length > 1) checkPathSegment(segment, "sort");
    }
    if (path.length > filled.relationHops + 1) throw overLimit("relationHops", filled, "sort");
    return { path, direction: descending ? "desc" : "asc" };
  });
}
