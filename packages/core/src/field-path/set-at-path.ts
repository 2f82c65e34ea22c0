import { PathError } from "./path-error.js";
import { checkSegment, type FieldPath } from "./split-field-path.js";

/** A plain object made from field names; arrays where the segments are indexes. */
export type Nested = { [key: string]: unknown };

/** Limits for {@link setAtPath}. */
export interface SetOptions {
  /** The highest allowed index of a list. @default 100 */
  readonly maxIndex?: number;
}

const isIndex = (segment: string): boolean => segment === "" || /^(0|[1-9]\d{0,9})$/.test(segment);

/**
 * Sets a value at a path and creates the objects and lists on it: a segment that is an index (or empty, for "append")
 * creates a list. A second value at the same place turns both into a list.
 *
 * @throws {PathError} `conflict` if the place has a value of another shape, `index` if an index is over the limit or
 * leaves a gap, `forbidden` for a prototype key
 */
export function setAtPath(target: Nested, path: FieldPath, value: unknown, options: SetOptions = {}): void {
  const { maxIndex = 100 } = options;
  const name = path.join(".");
  let node: Nested | unknown[] = target;
  path.forEach((segment, depth) => {
    checkSegment(segment, name, path.length > 1);
    const key = Array.isArray(node) ? listIndex(node, segment, name, maxIndex) : segment;
    const present: unknown = Object.hasOwn(node, key) ? (node as Nested)[key] : undefined;
    const next = path[depth + 1];
    if (next === undefined) {
      if (present === undefined) (node as Nested)[key] = value;
      else if (Array.isArray(present) && !present.some(isContainer)) present.push(value);
      else if (isContainer(present)) throw new PathError(name, "conflict", "has both a value and nested fields");
      else (node as Nested)[key] = [present, value];
      return;
    }
    if (present === undefined) {
      const made: Nested | unknown[] = isIndex(next) ? [] : {};
      (node as Nested)[key] = made;
      node = made;
      return;
    }
    if (!isContainer(present) || (Array.isArray(present) && !isIndex(next))) {
      throw new PathError(name, "conflict", "has both a value and nested fields");
    }
    node = present;
  });
}

/** Values such as files and dates are leaves. Only objects created by this module can contain more. */
function isContainer(value: unknown): value is Nested | unknown[] {
  if (Array.isArray(value)) return true;
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function listIndex(list: unknown[], segment: string, name: string, maxIndex: number): string {
  if (!isIndex(segment)) throw new PathError(name, "conflict", "has both a list and named fields");
  const index = segment === "" ? list.length : Number(segment);
  if (index > maxIndex) throw new PathError(name, "index", `has an index over ${maxIndex}`);
  if (index > list.length) throw new PathError(name, "index", `skips from index ${list.length} to ${index}`);
  return String(index);
}
