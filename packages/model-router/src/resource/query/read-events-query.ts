import type { Filter } from "@servicekit/prisma/internal";
import { readTerms, readTree } from "@servicekit/query-parser/internal";
import { costExceeded, filterCost } from "../filter/cost.js";
import { QueryIssues } from "../filter/query-issues.js";
import { readFilter } from "../filter/read-filter.js";
import type { Resource } from "../resource.js";
import { joinedNames } from "./joined-names.js";
import { listParametersOf, readParameters } from "./parameters.js";
import { readFields } from "./read-fields.js";
import type { QueryContext } from "./read-list-query.js";

/** The requested events. */
export interface EventsQuery {
  readonly filter: Filter | undefined;
  /** The names of the selected stored fields. */
  readonly fields: readonly string[];
  /** The last event that the client has received; `undefined` for the current end of the log. */
  readonly lastEventId: string | undefined;
}

type Parameter = "fields" | "lastEventId";

/**
 * Reads the query of the events of a model: the filters and `fields` of its list.
 *
 * @param isExpressible whether recorded states can be compared with a filter
 * @throws {HttpError} 400 that names every wrong parameter
 */
export function readEventsQuery(
  search: string,
  resource: Resource,
  { limits, resources, parseDoubleUnderscore }: Pick<QueryContext, "limits" | "resources" | "parseDoubleUnderscore">,
  isExpressible: (filter: Filter) => boolean,
): EventsQuery {
  const issues = new QueryIssues();
  const terms = readTerms(search, { parseDoubleUnderscore, limits, joinedNames: joinedNames(resources) });
  const ofLists = listParametersOf(resource, true);
  const parameters = new Set([...ofLists, "lastEventId"]);
  const tree = readTree(terms, { limits, parameters });
  const values = readParameters<Parameter>(tree.parameters, issues);
  for (const name of Object.keys(values))
    if (name !== "fields" && name !== "lastEventId")
      issues.add(name, "UnknownParameter", `Events do not have the parameter ${name}; expected filters or fields.`);
  const filter = readFilter(tree.root, resource, {
    ...{ resources, limits, issues },
    parameters: ["fields", "lastEventId"],
  });
  for (const name of filter === undefined ? [] : inexpressible(filter, isExpressible))
    issues.add(
      name,
      "InvalidOperand",
      `Events cannot be filtered by ${name}: recorded changes do not contain it exactly.`,
    );
  const select = readFields(values.fields, resource, resource.shown.findMany, issues);
  const names = Object.keys(select).filter((name) => resource.shown.findMany.fields.has(name));
  const computed = values.fields === undefined ? [] : Object.keys(select).filter((name) => !names.includes(name));
  if (computed.length > 0 && values.fields?.startsWith("-") === false)
    issues.add("fields", "InvalidValue", `Events do not contain computed fields: ${computed.join(", ")}.`);
  issues.check();
  if (filter !== undefined) checkStreamCost(filter, limits.filterCost);
  return { filter, fields: names, lastEventId: values.lastEventId };
}

/** A filter of a stream costs as much as so many filters of lists, because it runs for every change. */
export const streamCostFactor = 10;

/** @throws {HttpError} 400 `QueryLimitExceeded` */
function checkStreamCost(filter: Filter, max: number): void {
  const cost = filterCost(filter) * streamCostFactor;
  if (cost > max)
    throw costExceeded(cost, max, `, all of it times ${streamCostFactor} because it runs for every change`);
}

/** The names of the fields whose conditions cannot be compared with recorded states. */
function inexpressible(filter: Filter, isExpressible: (filter: Filter) => boolean): readonly string[] {
  switch (filter.kind) {
    case "all":
    case "any":
      return filter.filters.flatMap((one) => inexpressible(one, isExpressible));
    case "not":
      return inexpressible(filter.filter, isExpressible);
    default:
      return isExpressible(filter) ? [] : [filter.field?.name ?? ""];
  }
}
