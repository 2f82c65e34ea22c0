import { type StartFault } from "@servicekit/core";
import type { ConfigObject } from "./merge-layers.js";

/** What one source says about the configuration, and what in it could not be read. */
export interface Layer {
  readonly value: ConfigObject;
  readonly faults: readonly StartFault[];
}

/** A nested object of values that are told with dotted keys. */
export function toLayerObject(entries: Iterable<readonly [key: string, value: unknown]>): ConfigObject {
  const whole: Record<string, unknown> = {};
  for (const [key, value] of entries) {
    const names = key.split(".");
    const last = names.pop() ?? "";
    let at = whole;
    for (const name of names) {
      const inner = (Object.hasOwn(at, name) ? at[name] : undefined) as Record<string, unknown> | undefined;
      at = at[name] = inner ?? {};
    }
    at[last] = value;
  }
  return whole;
}

/** What a configuration says under a dotted key. */
export function valueUnder(config: ConfigObject | undefined, key: string): unknown {
  let at: unknown = config;
  for (const name of key.split(".")) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return undefined;
    at = Reflect.get(at, name);
  }
  return at;
}
