import type { Resources } from "../resource.js";

const known = new WeakMap<Resources, ReadonlySet<string>>();

/** The fields and relations whose names contain `__`, which is otherwise a path separator. */
export function joinedNames(resources: Resources): ReadonlySet<string> {
  const made = known.get(resources);
  if (made !== undefined) return made;
  const names = new Set<string>();
  for (const { listed, relations } of resources.values()) {
    for (const name of [...listed.keys(), ...relations.keys()]) if (name.includes("__")) names.add(name);
  }
  known.set(resources, names);
  return names;
}
