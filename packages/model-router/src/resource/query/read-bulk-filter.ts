import type { Filter } from "@servicekit/prisma/internal";
import { readTerms, readTree } from "@servicekit/query-parser/internal";
import { modelErrors } from "../errors.js";
import { checkCost, filterCost } from "../filter/cost.js";
import { QueryFaults } from "../filter/query-faults.js";
import { readFilter } from "../filter/read-filter.js";
import { isCriterion } from "../filter/scope.js";
import type { Resource } from "../resource.js";
import { joinedNames } from "./joined-names.js";
import { parameterNames, readParameters } from "./parameters.js";
import type { QueryContext } from "./read-list-query.js";

/**
 * Reads the filter of a bulk change. Paging, sorting and a filter that every row meets by its type are no criterion
 * (contract C14).
 *
 * @throws {HttpError} 400 `MissingFilter` without a criterion, 400 for a filter that cannot be read
 */
export function readBulkFilter(search: string, resource: Resource, context: QueryContext): Filter {
  const faults = new QueryFaults();
  const { limits, resources, parseDoubleUnderscore } = context;
  const terms = readTerms(search, { parseDoubleUnderscore, limits, joinedNames: joinedNames(resources) });
  const { parameters, root } = readTree(terms, { limits, parameters: parameterNames });
  readParameters(parameters, faults);
  const filter = readFilter(root, resource, { resources, limits, faults });
  if (filter !== undefined) {
    for (const name of parameters.keys()) {
      faults.add(name, "UnknownParameter", `A bulk change takes filters only, not ${name}.`);
    }
  }
  faults.check();
  if (filter === undefined || !isCriterion(filter)) throw modelErrors.MissingFilter();
  checkCost(filterCost(filter), limits.filterCost);
  return filter;
}
