import { type StartupIssue } from "@servicekit/core";
import type { ConfigObject } from "./merge-layers.js";

/** The values of one source of the configuration, and what in it could not be read. */
export interface Layer {
  readonly value: ConfigObject;
  readonly issues: readonly StartupIssue[];
}

/** A nested object of values with dotted keys. */
export function toLayerObject(entries: Iterable<readonly [key: string, value: unknown]>): ConfigObject {
  const root: Record<string, unknown> = {};
  for (const [key, value] of entries) {
    const names = key.split(".");
    const last = names.pop() ?? "";
    let at = root;
    for (const name of names) {
      const inner = (Object.hasOwn(at, name) ? at[name] : undefined) as Record<string, unknown> | undefined;
      at = at[name] = inner ?? {};
    }
    at[last] = value;
  }
  return root;
}

/** The value of a configuration at a dotted key. */
export function valueUnder(config: ConfigObject | undefined, key: string): unknown {
  let at: unknown = config;
  for (const name of key.split(".")) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return undefined;
    at = Reflect.get(at, name);
  }
  return at;
}
