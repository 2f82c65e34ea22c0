import { isOperator, operators, queryErrors } from "@servicekit/query-parser";
import type { Filter } from "./filter.js";

/** What a search inside of texts costs: no index helps it. */
const textCost = 4;
/** By how much each relation on the way multiplies: one row is looked up, or many are gone through. */
const hopCosts = { one: 2, many: 4 } as const;

/**
 * What a filter may cost the database, roughly: each condition 1, a search in a text 4, times 2 for each relation to one
 * row on the way and times 4 for each to many (contract C59).
 */
export function filterCost(filter: Filter): number {
  switch (filter.kind) {
    case "all":
    case "any":
      return filter.filters.reduce((sum, one) => sum + filterCost(one), 0);
    case "not":
      return filterCost(filter.filter);
    case "condition":
      return isOperator(filter.operator) && operators[filter.operator].text ? textCost : 1;
    case "related":
      return hopCost(filter.field) * Math.max(1, filter.filter === null ? 1 : filterCost(filter.filter));
    case "opaque":
      return 1;
  }
}

/** By how much a relation on the way multiplies the cost of what is asked behind it. */
export const hopCost = ({ isList }: { readonly isList: boolean }): number => (isList ? hopCosts.many : hopCosts.one);

/**
 * Holds the cost of all filters of one query against the budget.
 *
 * @throws {HttpError} 400 `QueryLimitExceeded` that names the budget and the cost
 */
export function checkCost(cost: number, most: number): void {
  if (cost <= most) return;
  const message =
    `The filter of this query costs ${cost}; at most ${most} fit (the limit filterCost): each condition costs 1, a search ` +
    `in a text ${textCost}, times ${hopCosts.one} for each relation to one row on the way and ${hopCosts.many} for each to many.`;
  throw queryErrors.QueryLimitExceeded(message, {
    errors: [{ in: "query", path: "", code: "QueryLimitExceeded", message }],
  });
}
