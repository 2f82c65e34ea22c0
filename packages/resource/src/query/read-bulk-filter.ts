import { readTerms } from "@servicekit/query-parser";
import { modelErrors } from "../errors.js";
import { QueryFaults } from "../filter/query-faults.js";
import { readFilter } from "../filter/read-filter.js";
import { isCriterion } from "../filter/scope.js";
import type { Where } from "../filter/where.js";
import type { Resource } from "../resource.js";
import { splitParameters } from "./parameters.js";
import type { QueryContext } from "./read-list-query.js";

/**
 * Reads the filter of a bulk change. Paging, sorting and a filter that every row meets by its type are no criterion
 * (contract C14).
 *
 * @throws {HttpError} 400 `MissingFilter` without a criterion, 400 for a filter that cannot be read
 */
export function readBulkFilter(search: string, resource: Resource, context: QueryContext): Where {
  const faults = new QueryFaults();
  const { limits, resources, parseDoubleUnderscore } = context;
  const { values, filters } = splitParameters(readTerms(search, { parseDoubleUnderscore, limits }), faults);
  const filter = readFilter(filters, resource, { resources, limits, faults });
  if (filters.length > 0) {
    for (const name of Object.keys(values)) {
      faults.add(name, "UnknownParameter", `A bulk change takes filters only, not ${name}.`);
    }
  }
  faults.check();
  if (filter === undefined || !isCriterion(filter.scope)) throw modelErrors.MissingFilter();
  return filter.where;
}
