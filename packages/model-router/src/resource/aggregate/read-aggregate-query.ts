import { nearestWord } from "@servicekit/core/internal";
import {
  type AggregateArgs,
  aggregateFunctions,
  allOf,
  type Filter,
  type GroupOrder,
  type Measure,
  measuresOf,
} from "@servicekit/prisma/internal";
import { readSort, readTerms, readTree } from "@servicekit/query-parser/internal";
import { checkCost, filterCost, searchCost } from "../filter/cost.js";
import { QueryIssues } from "../filter/query-issues.js";
import { type FilterContext, readFilter } from "../filter/read-filter.js";
import { joinedNames } from "../query/joined-names.js";
import { readParameters } from "../query/parameters.js";
import type { QueryContext } from "../query/read-list-query.js";
import { readPage } from "../query/read-page.js";
import { readSearch } from "../query/read-search.js";
import type { Resource } from "../resource.js";
import { asListed } from "./as-listed.js";
import { type AggregateParameter, aggregateParameterNames, aggregateParameters, groupLimit } from "./parameters.js";
import { type RequestedGroup, readGroups } from "./read-groups.js";
import { isHaving, readHaving } from "./read-having.js";
import { readMeasures } from "./read-measures.js";
import { readTimeZone } from "./time-zone.js";

/** A requested aggregate, before row rules are added. */
export interface AggregateQuery
  extends Pick<AggregateArgs, "search" | "measures" | "shown" | "having" | "orderBy" | "timeZone"> {
  readonly where: Filter;
  readonly groups: readonly RequestedGroup[];
  readonly page: number;
  /** Maximum number of groups in the response. */
  readonly limit: number;
  /** The database cost of its filters (contract C59). */
  readonly cost: number;
}

/**
 * Reads the query of an aggregate.
 *
 * @throws {HttpError} 400 that names every wrong parameter
 */
export function readAggregateQuery(
  search: string,
  resource: Resource,
  { limits, resources, parseDoubleUnderscore }: QueryContext,
): AggregateQuery {
  const issues = new QueryIssues();
  const terms = readTerms(search, { parseDoubleUnderscore, limits, joinedNames: joinedNames(resources) });
  const conditions = terms.filter((term) => !isHaving(term));
  const tree = readTree(conditions, { limits, parameters: aggregateParameterNames });
  const values = readParameters<AggregateParameter>(tree.parameters, issues, resource);
  const context = { resources, limits, issues, parameters: aggregateParameters };

  const filter = readFilter(tree.root, resource, context);
  if (values.having !== undefined)
    issues.add("having", "InvalidValue", "having requires a measure and an operator, such as having[count][gt]=5.");
  const shown = asListed(resources);
  const own = shown.get(resource.model.name) ?? resource;
  const having = readHaving(terms.filter(isHaving), own, context);
  const groups = readGroups(values.groupBy, own, { ...context, resources: shown });
  const requested = readMeasures(values, own, issues);
  const timeZone = readTimeZone(values.timeZone, issues);
  const sort = readOrder(values.sort, groups, own, context);
  const { page, limit } = readPage(values.page, values.limit, groupLimit, issues);
  const words = readSearch(values.search, resource, issues);
  const isCounted = values.count !== undefined && values.count !== "false";
  const needed = ["groupBy", ...aggregateFunctions] as const;
  if (!isCounted && needed.every((name) => values[name] === undefined)) {
    const message = "An aggregate requires groupBy, count=true, or a measure such as sum or max.";
    issues.add("groupBy", "Required", message);
  }
  issues.check();
  const where = allOf([filter, words.filter].filter((one) => one !== undefined));
  const joins = new Set(groups.flatMap(({ relations, name }) => relations.map((_one, at) => pathOf(name, at + 1))));
  const cost = filterCost(where, { sorted: joins.size }) + searchCost(words.search);
  checkCost(cost, limits.filterCost);
  const measures = new Map([...requested, ...having.measures, ...sort.measures].map((one) => [one.name, one]));
  return {
    ...{ where, groups, timeZone, page, limit, cost },
    search: words.search,
    having: having.filter,
    measures: [...measures.values()],
    shown: new Set(requested.map(({ name }) => name)),
    orderBy: sort.orderBy,
  };
}

const pathOf = (name: string, length: number): string => name.split(".").slice(0, length).join(".");

/** The order, and the measures in it; the groups come last, so that pages are stable. */
function readOrder(
  text: string | undefined,
  groups: readonly RequestedGroup[],
  resource: Resource,
  { issues, limits, resources }: FilterContext,
): { readonly orderBy: AggregateArgs["orderBy"]; readonly measures: readonly Measure[] } {
  const all = measuresOf(resource.listed);
  const used: Measure[] = [];
  const wide = { ...limits, relationHops: Math.max(1, limits.relationHops) };
  const keys = text === undefined ? [] : readSort(text, wide, joinedNames(resources));
  const orderBy = keys.flatMap(({ path, direction }): GroupOrder[] => {
    const [, name = "", place] = /^(.*?)(?::nulls(First|Last))?$/.exec(path.join(".")) ?? [];
    const nulls = place === undefined ? undefined : place === "First" ? "first" : "last";
    const group = groups.find((one) => one.name === name);
    if (group !== undefined) return [{ field: group.field, direction, nulls }];
    const measure = all.get(name);
    if (measure === undefined) {
      const near = nearestWord(name, [...groups.map((one) => one.name), ...all.keys()]);
      const [example = "count"] = [...all.keys()].slice(1);
      const names = [...groups.map((one) => one.name), "count"].join(", ");
      const hint =
        near === undefined ? `Expected one of ${names}, or a measure such as ${example}.` : `Did you mean ${near}?`;
      issues.add("sort", "UnknownField", `sort cannot use ${name}. ${hint}`);
      return [];
    }
    used.push(measure);
    return [{ field: measure.field, direction, nulls }];
  });
  const sorted = new Set(orderBy.map(({ field }) => field));
  const rest = groups
    .filter(({ field }) => !sorted.has(field))
    .map(({ field }) => ({ field, direction: "asc" as const }));
  return { orderBy: [...orderBy, ...rest], measures: used };
}
