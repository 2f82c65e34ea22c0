import { isPlainObject } from "@servicekit/core/internal";
import { z } from "zod";

/**
 * Returns the part of a value that a schema accepts: without invalid values, and without values that depend on them. So
 * a check that needs a full configuration can run despite other errors, and all issues are reported together.
 */
export function dropInvalid<Shape extends z.ZodType>(value: unknown, schema: Shape): z.output<Shape> | undefined {
  let rest = value;
  // Each round removes something, so the loop ends.
  for (;;) {
    const result = z.safeParse(schema, rest, { jitless: true });
    if (result.success) return result.data;
    const before = rest;
    for (const issue of result.error.issues) {
      const keys = issue.code === "unrecognized_keys" ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
      for (const path of keys) rest = without(rest, path);
    }
    if (rest === before || rest === undefined) return undefined;
  }
}

/** Without the value at a path, or without the object that lacks it. */
function without(value: unknown, path: readonly PropertyKey[]): unknown {
  const [key, ...deeper] = path;
  if (key === undefined || !(isPlainObject(value) || Array.isArray(value))) return undefined;
  if (Array.isArray(value)) {
    const inner = without(value[Number(key)], deeper);
    return inner === undefined ? value.toSpliced(Number(key), 1) : value.with(Number(key), inner);
  }
  const given = Object.hasOwn(value, key) ? value[String(key)] : undefined;
  if (given === undefined) return undefined;
  const { [String(key)]: _left, ...others } = value;
  const inner = deeper.length === 0 ? undefined : without(given, deeper);
  return inner === undefined ? others : { ...others, [String(key)]: inner };
}
