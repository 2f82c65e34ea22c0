import type { StoredField } from "@servicekit/prisma";
import type { Filter } from "@servicekit/prisma/internal";
import { readTerms, readTree } from "@servicekit/query-parser/internal";
import { modelErrors } from "../errors.js";
import { checkCost, filterCost } from "../filter/cost.js";
import { QueryIssues } from "../filter/query-issues.js";
import { readFilter } from "../filter/read-filter.js";
import { isCriterion } from "../filter/scope.js";
import type { Resource } from "../resource.js";
import { joinedNames } from "./joined-names.js";
import { parameterNames, readParameters } from "./parameters.js";
import type { QueryContext } from "./read-list-query.js";

/**
 * Reads the filter of a bulk change. Paging, sorting and a filter that matches every row by its type are not criteria
 * (contract C14).
 *
 * @param deleted the time of a soft delete, if all rows that the request means are deleted, or none is
 * @throws {HttpError} 400 `MissingFilter` without a criterion, 400 for an invalid filter
 */
export function readBulkFilter(
  search: string,
  resource: Resource,
  context: QueryContext,
  deleted: StoredField | undefined,
): Filter {
  const issues = new QueryIssues();
  const { limits, resources, parseDoubleUnderscore } = context;
  const terms = readTerms(search, { parseDoubleUnderscore, limits, joinedNames: joinedNames(resources) });
  const { parameters, root } = readTree(terms, { limits, parameters: parameterNames });
  readParameters(parameters, issues);
  const filter = readFilter(root, resource, { resources, limits, issues });
  if (filter !== undefined) {
    for (const name of parameters.keys()) {
      issues.add(name, "UnknownParameter", `A bulk change accepts only filters, not ${name}.`);
    }
  }
  issues.check();
  if (filter === undefined || !isCriterion(filter, deleted)) throw modelErrors.MissingFilter();
  checkCost(filterCost(filter), limits.filterCost);
  return filter;
}
