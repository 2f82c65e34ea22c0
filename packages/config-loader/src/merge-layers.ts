import { StartupError } from "@servicekit/core";
import { isPlainObject, makeStartupIssue } from "@servicekit/core/internal";

/** A configuration, or a part of one, before validation. */
export type ConfigObject = Readonly<Record<string, unknown>>;

/**
 * Merges configurations, **the highest first** (contract C38): objects are merged deeply; lists, functions, class
 * instances and single values replace. `undefined` sets nothing, `null` does. The inputs are not changed; a value of
 * only one layer is the same object in the result.
 *
 * @throws {StartupError} for a key `__proto__`, and for cyclic objects
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
    throw new StartupError([
      makeStartupIssue({ where: `${path.slice(0, 3).join(".")}…`, message: "The object contains itself." }),
    ]);
  }
  const merged: Record<string, unknown> = {};
  for (const key of new Set([...Object.keys(above), ...Object.keys(below)])) {
    if (key === "__proto__") {
      throw new StartupError([
        makeStartupIssue({ where: [...path, key].join("."), message: "This key is not allowed." }),
      ]);
    }
    const high = Object.hasOwn(above, key) ? above[key] : undefined;
    const low = Object.hasOwn(below, key) ? below[key] : undefined;
    const deep = high !== low && isPlainObject(high) && isPlainObject(low);
    merged[key] = deep ? merge(high, low, [...path, key]) : high === undefined ? low : high;
  }
  return merged;
}
