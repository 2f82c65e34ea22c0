import type { Filter } from "@servicekit/prisma/internal";
import { isOperator, operators, queryErrors } from "@servicekit/query-parser/internal";

/** What a search inside of texts costs: no index helps it. */
const textCost = 4;
/** By how much each relation on the way multiplies: one row is looked up, or many are gone through. */
const hopCosts = { one: 2, many: 4 } as const;

/** As many relations cost no more than the conditions behind them; planning more takes time that grows with their square. */
const freeJoins = 2;
const joinCost = 2;
/** Relations that are included are joined in the order of the query: planning three takes as long as one of a filter. */
const includesPerJoin = 3;

/** What a query joins besides its filter. */
export interface OtherJoins {
  /** Relations on the way to the fields of the order. */
  readonly sorted?: number;
  /** Relations to one row that are included. */
  readonly included?: number;
}

/**
 * What a filter may cost the database, roughly: each condition 1, a search in a text 4, times 2 for each relation to one
 * row on the way and times 4 for each to many, and for more than two joined relations the time of their planning (contract C59).
 */
export function filterCost(filter: Filter, { sorted = 0, included = 0 }: OtherJoins = {}): number {
  const { conditions, relations } = weigh(filter);
  const joins = relations + sorted + included / includesPerJoin;
  return conditions + Math.round(joinCost * Math.max(0, joins - freeJoins) ** 2);
}

function weigh(filter: Filter | null): { readonly conditions: number; readonly relations: number } {
  if (filter === null) return { conditions: 1, relations: 0 };
  if (filter.kind === "not") return weigh(filter.filter);
  if (filter.kind === "condition" && isOperator(filter.operator) && operators[filter.operator].text)
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
    `in a text ${textCost}, times ${hopCosts.one} for each relation to one row on the way and ${hopCosts.many} for each to many, plus ` +
    `${joinCost} times the square of the number of joined relations beyond ${freeJoins}.`;
  throw queryErrors.QueryLimitExceeded(message, {
    errors: [{ in: "query", path: "", code: "QueryLimitExceeded", message }],
  });
}
