import { PathError } from "./path-error.js";

/** The place of a field inside an object: keys from the outside in. */
export type FieldPath = readonly string[];

/** The allowed notation of a field name: `a[b][c]`, `a.b.c`, or either. */
export interface SplitOptions {
  /** @default "both" */
  readonly notation?: "brackets" | "dots" | "both";
  /** Maximum number of segments of a name. @default 32 */
  readonly maxDepth?: number;
}

/**
 * Splits a field name such as `a[b][c]`, `a.b.c` or `a[]` into its path; `[]` becomes an empty last segment, which
 * {@link setAtPath} reads as "append".
 *
 * @throws {PathError} for a malformed name, one that is too deep, or one with a prototype key (contract C20)
 */
export function splitFieldPath(name: string, options: SplitOptions = {}): FieldPath {
  const { notation = "both", maxDepth = 32 } = options;
  const path: string[] = [];
  const bracket = notation === "dots" ? -1 : name.indexOf("[");
  const head = bracket === -1 ? name : name.slice(0, bracket);
  if (head === "") throw new PathError(name, "malformed", "has no name before the first bracket");
  if (notation === "brackets") path.push(head);
  else path.push(...head.split(".", maxDepth + 1));
  if (notation !== "brackets" && path.includes("")) throw new PathError(name, "malformed", "has an empty segment");
  let at = bracket === -1 ? name.length : bracket;
  // The rest of a name that is too deep is not read.
  while (at < name.length && path.length <= maxDepth) {
    const end = name.indexOf("]", at);
    if (name[at] !== "[" || end === -1) throw new PathError(name, "malformed", "has unbalanced brackets");
    const segment = name.slice(at + 1, end);
    if (segment.includes("[")) throw new PathError(name, "malformed", "has unbalanced brackets");
    if (segment === "" && end + 1 < name.length) throw new PathError(name, "malformed", "has [] before its end");
    path.push(segment);
    at = end + 1;
  }
  if (path.length > maxDepth) throw new PathError(name, "too-deep", `is nested deeper than ${maxDepth}`);
  for (const segment of path) checkSegment(segment, name, path.length > 1);
  return path;
}

/**
 * Rejects the keys by which a path could reach a prototype: `__proto__` anywhere, `constructor` and `prototype` as a
 * segment of a path (contract C20).
 *
 * @throws {PathError}
 */
export function checkSegment(segment: string, name: string = segment, inPath = true): void {
  if (segment === "__proto__" || (inPath && (segment === "constructor" || segment === "prototype"))) {
    throw new PathError(name, "forbidden", `has the forbidden segment ${segment}`);
  }
}
