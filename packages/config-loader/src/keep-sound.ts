import { isPlainObject } from "@servicekit/core/internal";
import { z } from "zod";

/**
 * The part of a value that a schema takes: what has a fault is left out, and what cannot be without it. So a check that
 * needs a whole configuration can go on behind a fault, and all faults are told at once.
 */
export function keepSound<Shape extends z.ZodType>(value: unknown, schema: Shape): z.output<Shape> | undefined {
  let rest = value;
  // Each round leaves something out, so that there is an end.
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

/** Without the value at a path, or without what lacks it. */
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
