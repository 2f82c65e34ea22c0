import type { QueryIssues } from "../filter/query-issues.js";
import { unknownName } from "../filter/unknown-name.js";
import type { Resource } from "../resource.js";
import type { Shown } from "../shown.js";

/** A `select` of stored and computed fields. */
export type FieldSelect = Readonly<Record<string, true>>;

/**
 * Reads `fields=id,title`, or `fields=-content` to exclude some (contract C8), into a `select`.
 *
 * @param shown the selection of the model's default options, from which a request selects
 */
export function readFields(
  text: string | undefined,
  resource: Resource,
  shown: Shown,
  issues: QueryIssues,
): FieldSelect {
  if (text === undefined) return shown.select;
  const words = text.split(",").map((word) => word.trim());
  const without = words.filter((word) => word.startsWith("-")).map((word) => word.slice(1));
  if (text === "" || (without.length > 0 && without.length < words.length)) {
    const message = "fields must be names to include (id,title) or names to exclude (-content)";
    issues.add("fields", "InvalidValue", text === "" ? `${message}; it is empty.` : `${message}, not both.`);
    return shown.select;
  }
  const named = without.length > 0 ? without : words;
  const unknown = named.filter((name) => !shown.names.has(name));
  const relations = [...(shown.relations ?? resource.relations.keys())];
  const known = [...shown.names, ...relations];
  for (const name of unknown) {
    issues.add("fields", "UnknownField", () =>
      unknownName(name, resource, { wants: "field", known, inPlaceOf: (one) => `include=${one}`, takesComputed: true }),
    );
  }
  const wanted = new Set(named);
  const names = [...shown.names].filter((name) => wanted.has(name) === (without.length === 0));
  if (names.length === 0 && unknown.length === 0) issues.add("fields", "InvalidValue", "fields excludes every field.");
  return Object.fromEntries(names.map((name) => [name, true as const]));
}
