import type { Model } from "../model.js";
import { resourcePath } from "../resource-path.js";

/** What a client calls a resource: its path in camel case, or as it is where the path could not be read from that. */
export function resourceKey(model: Model): string {
  const path = resourcePath(model);
  const name = path.replace(/-([a-z])/g, (_dash, letter: string) => letter.toUpperCase());
  return /^[a-z][A-Za-z0-9]*$/.test(name) ? name : path;
}

/** The type of one of the parts that `Api` has of a resource, such as `Api["tags"]["ref"]`. */
export const partOf = (model: Model, part: string): string => `Api[${JSON.stringify(resourceKey(model))}]["${part}"]`;
