import { everyRow } from "@servicekit/prisma/internal";
import { type QueryTerm } from "@servicekit/query-parser";
import { readTerms, readTree } from "@servicekit/query-parser/internal";
import { checkCost, filterCost } from "../filter/cost.js";
import { QueryIssues } from "../filter/query-issues.js";
import { readPrismaOptions } from "../prisma-options/read-options.js";
import type { Resource } from "../resource.js";
import type { Select } from "../shown.js";
import { includedJoins } from "./include-cost.js";
import { joinedNames } from "./joined-names.js";
import { parameterNamesWithOptions, readParameters } from "./parameters.js";
import { readFields } from "./read-fields.js";
import { readInclude } from "./read-include.js";
import type { QueryContext } from "./read-list-query.js";

/**
 * Reads the query of a request for one row: `fields` and `include` for reads, nothing for writes.
 *
 * @throws {HttpError} 400 that names every other parameter
 */
export function readOneQuery(
  search: string,
  resource: Resource,
  context: QueryContext,
  isRead: boolean,
  noParameters = "expected no parameters",
): Select {
  if (search === "" && (!isRead || resource.shown.findOne.relations === undefined)) {
    return isRead ? resource.shown.findOne.select : resource.select;
  }
  const issues = new QueryIssues();
  const { limits, resources, parseDoubleUnderscore } = context;
  const terms = readTerms(search, { parseDoubleUnderscore, limits, joinedNames: joinedNames(resources) });
  const takesOptions = isRead && context.allowDangerousOrmQueryOptions;
  const taken: readonly string[] = isRead ? ["fields", "include", ...(takesOptions ? ["prismaQueryOptions"] : [])] : [];
  const isTaken = ({ segments }: QueryTerm): boolean => segments.length === 1 && taken.includes(segments[0] ?? "");
  for (const term of terms) {
    if (isTaken(term)) continue;
    const { name } = term;
    const hint = isRead ? "expected fields or include" : noParameters;
    issues.add(name, "UnknownParameter", `Unknown parameter ${name}; ${hint}.`);
  }
  const tree = readTree(terms.filter(isTaken), { limits, parameters: parameterNamesWithOptions });
  const values = readParameters(tree.parameters, issues);
  const fields = readFields(isRead ? values.fields : undefined, resource, resource.shown.findOne, issues);
  const include = isRead ? values.include : undefined;
  const select = readInclude(include, fields, resource, {
    resources,
    limits: context.include,
    issues,
    relations: isRead ? resource.shown.findOne.relations : undefined,
  });
  const spent = { terms: 0, cost: 0 };
  const own =
    values.prismaQueryOptions === undefined || !takesOptions
      ? undefined
      : readPrismaOptions(values.prismaQueryOptions, select, resource.shown.findOne, resource, false, {
          resources,
          limits,
          include: context.include,
          issues,
          isGuarded: context.isGuarded,
          spent,
        });
  issues.check();
  const included = includedJoins(own?.select ?? select, resource, resources);
  checkCost(filterCost(everyRow, { included }) + spent.cost, limits.filterCost);
  return own?.select ?? select;
}
