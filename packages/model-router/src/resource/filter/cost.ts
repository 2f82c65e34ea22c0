import type { HttpError } from "@servicekit/core";
import type { Filter, TextSearch } from "@servicekit/prisma/internal";
import { isOperator, operators, queryErrors } from "@servicekit/query-parser/internal";

/** The cost of a search inside texts, for which there is no index. */
const textCost = 4;
/** The factor for each relation on the path: one row is looked up, or many are scanned. */
const hopCosts = { one: 2, many: 4 } as const;

/** Up to this number, joins cost no more than their conditions; beyond it, planning time grows with the square. */
const freeJoins = 2;
const joinCost = 2;
/** Included relations are joined in the order of the query: planning three takes as long as one of a filter. */
const includesPerJoin = 3;

/** The joins of a query besides its filter. */
export interface OtherJoins {
  /** Relations on the path to the sort fields. */
  readonly sorted?: number;
  /** Included to-one relations. */
  readonly included?: number;
}

/**
 * The approximate database cost of a filter: each condition 1, a text search or a computed field 4, times 2 for each to-one relation on the
 * path and times 4 for each to-many relation, plus the planning time of more than two joined relations (contract C59).
 */
export function filterCost(filter: Filter, { sorted = 0, included = 0 }: OtherJoins = {}): number {
  const { conditions, relations } = weigh(filter);
  const joins = relations + sorted + included / includesPerJoin;
  return conditions + Math.round(joinCost * Math.max(0, joins - freeJoins) ** 2);
}

/** The cost of a search by an index, which reads each field again to rank the rows. */
export const searchCost = (search: TextSearch | undefined): number => textCost * (search?.fields.length ?? 0);

function weigh(filter: Filter | null): { readonly conditions: number; readonly relations: number } {
  if (filter === null) return { conditions: 1, relations: 0 };
  if (filter.kind === "not") return weigh(filter.filter);
  if (filter.kind === "condition" && isOperator(filter.operator) && operators[filter.operator].text)
    return { conditions: textCost, relations: 0 };
  if (filter.kind === "condition" && filter.field.kind === "scalar" && filter.field.expression !== undefined)
    return { conditions: textCost, relations: 0 };
  if (filter.kind === "related") {
    const { conditions, relations } = weigh(filter.filter);
    return { conditions: hopCost(filter.field) * Math.max(1, conditions), relations: 1 + relations };
  }
  if (filter.kind !== "all" && filter.kind !== "any") return { conditions: 1, relations: 0 };
  const all = filter.filters.map(weigh);
  const sumOf = (of: "conditions" | "relations"): number => all.reduce((sum, one) => sum + one[of], 0);
  return { conditions: sumOf("conditions"), relations: sumOf("relations") };
}

/** The factor of a relation on the path. */
export const hopCost = ({ isList }: { readonly isList: boolean }): number => (isList ? hopCosts.many : hopCosts.one);

/**
 * Checks the cost of all filters of one query against the budget.
 *
 * @throws {HttpError} 400 `QueryLimitExceeded` that names the budget and the cost
 */
export function checkCost(cost: number, max: number): void {
  if (cost > max) throw costExceeded(cost, max);
}

/** The 400 `QueryLimitExceeded` of a filter whose cost is above the budget. @param more further rules of the cost */
export function costExceeded(cost: number, max: number, more = ""): HttpError {
  const message =
    `The filter of this query costs ${cost}. Maximum: ${max} (filterCost): each condition costs 1, a search ` +
    `in a text or a computed field ${textCost}, times ${hopCosts.one} for each relation to one row on its path and ${hopCosts.many} for each to many, plus ` +
    `${joinCost} times the square of the number of joined relations beyond ${freeJoins}${more}.`;
  return queryErrors.QueryLimitExceeded(message, {
    errors: [{ in: "query", path: "", code: "QueryLimitExceeded", message }],
  });
}
