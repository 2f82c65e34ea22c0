import type { QueryFaults } from "../filter/query-faults.js";
import { unknownName } from "../filter/unknown-name.js";
import type { Resource } from "../resource.js";
import type { Shown } from "../shown.js";

/** Prisma's `select` of stored fields. */
export type FieldSelect = Readonly<Record<string, true>>;

/**
 * Reads `fields=id,title`, or `fields=-content` for all but some (contract C8), into a `select`.
 *
 * @param shown what the model's default options show: a request chooses from that
 */
export function readFields(
  text: string | undefined,
  resource: Resource,
  shown: Shown,
  faults: QueryFaults,
): FieldSelect {
  if (text === undefined) return shown.select;
  const words = text.split(",").map((word) => word.trim());
  const without = words.filter((word) => word.startsWith("-")).map((word) => word.slice(1));
  if (text === "" || (without.length > 0 && without.length < words.length)) {
    const message = "fields takes names to show (id,title) or names to leave out (-content)";
    faults.add("fields", "InvalidValue", text === "" ? `${message}; it is empty.` : `${message}, not both.`);
    return shown.select;
  }
  const named = without.length > 0 ? without : words;
  const unknown = named.filter((name) => !shown.fields.has(name));
  const relations = [...(shown.relations ?? resource.relations.keys())];
  const known = [...shown.fields.keys(), ...relations];
  for (const name of unknown) {
    faults.add("fields", "UnknownField", () =>
      unknownName(name, resource, { wants: "field", known, inPlaceOf: (one) => `include=${one}` }),
    );
  }
  const wanted = new Set(named);
  const names = [...shown.fields.keys()].filter((name) => wanted.has(name) === (without.length === 0));
  if (names.length === 0 && unknown.length === 0)
    faults.add("fields", "InvalidValue", "fields leaves nothing to show.");
  return Object.fromEntries(names.map((name) => [name, true as const]));
}
