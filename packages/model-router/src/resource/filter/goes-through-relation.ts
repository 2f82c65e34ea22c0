import type { Filter } from "@servicekit/prisma/internal";

/** Whether a filter reads related rows; one that only the ORM understands may. */
export function goesThroughRelation(filter: Filter): boolean {
  switch (filter.kind) {
    case "all":
    case "any":
      return filter.filters.some(goesThroughRelation);
    case "not":
      return goesThroughRelation(filter.filter);
    case "condition":
    case "json":
      return false;
    case "related":
      return true;
    case "opaque":
      return filter.field === undefined;
  }
}
