import type { QueryFaults } from "../filter/query-faults.js";
import { unknownField } from "../filter/read-filter.js";
import type { Resource } from "../resource.js";

/** Prisma's `select` of stored fields. */
export type FieldSelect = Readonly<Record<string, true>>;

/** Reads `fields=id,title`, or `fields=-content` for all but some (contract C8), into a `select`. */
export function readFields(text: string | undefined, resource: Resource, faults: QueryFaults): FieldSelect {
  if (text === undefined) return resource.select;
  const words = text.split(",").map((word) => word.trim());
  const without = words.filter((word) => word.startsWith("-")).map((word) => word.slice(1));
  if (text === "" || (without.length > 0 && without.length < words.length)) {
    const message = "fields takes names to show (id,title) or names to leave out (-content), not both.";
    faults.add("fields", "InvalidValue", message);
    return resource.select;
  }
  const named = without.length > 0 ? without : words;
  const unknown = named.filter((name) => !resource.fields.has(name));
  for (const name of unknown) faults.add("fields", "UnknownField", unknownField(name, resource));
  const wanted = new Set(named);
  const names = [...resource.fields.keys()].filter((name) => wanted.has(name) === (without.length === 0));
  if (names.length === 0 && unknown.length === 0)
    faults.add("fields", "InvalidValue", "fields leaves nothing to show.");
  return Object.fromEntries(names.map((name) => [name, true as const]));
}
