import { StartError } from "@servicekit/core";
import { isPlainObject, makeStartFault } from "@servicekit/core/internal";

/** A configuration, or a part of one, before it is checked. */
export type ConfigObject = Readonly<Record<string, unknown>>;

/**
 * Lays configurations over each other, **the highest first** (contract C38): objects merge deeply; lists, functions,
 * class instances and single values replace; `undefined` says nothing, `null` does. Nothing given is changed; what only
 * one layer says is the same value in the result.
 *
 * @throws {StartError} for a key `__proto__`, and for objects that contain themselves
 */
export function mergeLayers(...layers: readonly (ConfigObject | undefined)[]): ConfigObject {
  // From the lowest up, so that a single value between two objects hides the lower one.
  return layers.reduceRight<ConfigObject>(
    (below, above) => (above === undefined ? below : merge(above, below, [])),
    {},
  );
}

/** Deeper than any configuration, and shallow enough for the stack. */
const maximumDepth = 100;

function merge(above: ConfigObject, below: ConfigObject, path: readonly string[]): ConfigObject {
  if (path.length > maximumDepth) {
    throw new StartError([
      makeStartFault({ where: `${path.slice(0, 3).join(".")}…`, message: "The object contains itself." }),
    ]);
  }
  const merged: Record<string, unknown> = {};
  for (const key of new Set([...Object.keys(above), ...Object.keys(below)])) {
    if (key === "__proto__") {
      throw new StartError([makeStartFault({ where: [...path, key].join("."), message: "There can be no such key." })]);
    }
    const high = Object.hasOwn(above, key) ? above[key] : undefined;
    const low = Object.hasOwn(below, key) ? below[key] : undefined;
    const deep = high !== low && isPlainObject(high) && isPlainObject(low);
    merged[key] = deep ? merge(high, low, [...path, key]) : high === undefined ? low : high;
  }
  return merged;
}
