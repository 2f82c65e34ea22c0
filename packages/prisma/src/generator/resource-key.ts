import type { Model } from "../models/model.js";
import { resourcePath } from "../models/resource-path.js";

/** The client's name of a resource: its path in camel case, or unchanged if the path cannot be derived from that. */
export function resourceKey(model: Model): string {
  const path = resourcePath(model);
  const name = path.replace(/-([a-z])/g, (_dash, letter: string) => letter.toUpperCase());
  return /^[a-z][A-Za-z0-9]*$/.test(name) ? name : path;
}

/** The type of one member of a resource in `Api`, such as `Api["tags"]["ref"]`. */
export const partOf = (model: Model, part: string): string => `Api[${JSON.stringify(resourceKey(model))}]["${part}"]`;
