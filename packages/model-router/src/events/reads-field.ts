import type { Filter } from "@servicekit/prisma/internal";

/** Whether a filter compares fields with these names, of any model. */
export function readsField(filter: Filter, names: readonly string[]): boolean {
  switch (filter.kind) {
    case "all":
    case "any":
      return filter.filters.some((one) => readsField(one, names));
    case "not":
      return readsField(filter.filter, names);
    case "related":
      return filter.filter !== null && readsField(filter.filter, names);
    case "condition":
    case "json":
      return names.includes(filter.field.name);
    case "opaque":
      return false;
  }
}
