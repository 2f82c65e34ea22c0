import { allOf, type Filter } from "@servicekit/prisma/internal";
import { type QueryLimits } from "@servicekit/query-parser";
import { readTerms, readTree } from "@servicekit/query-parser/internal";
import { checkCost, filterCost } from "../filter/cost.js";
import { QueryIssues } from "../filter/query-issues.js";
import { readFilter } from "../filter/read-filter.js";
import type { Where } from "../filter/where.js";
import { readPrismaOptions } from "../prisma-options/read-options.js";
import type { Resource, Resources } from "../resource.js";
import type { IncludeLimits } from "../resource-config.js";
import type { Select } from "../shown.js";
import type { SortKey } from "../sort-key.js";
import { type CursorKeys, cursorKeys, readCursor } from "./cursor.js";
import { includedJoins } from "./include-cost.js";
import { joinedNames } from "./joined-names.js";
import { listParameters, parameterNames, parameterNamesWithOptions, readParameters } from "./parameters.js";
import { readFields } from "./read-fields.js";
import { readInclude } from "./read-include.js";
import { readPage } from "./read-page.js";
import { readSearch } from "./read-search.js";
import { readSortKeys, toOrderBy } from "./read-sort-keys.js";

/** The context of reading queries of model routes. */
export interface QueryContext {
  readonly resources: Resources;
  readonly limits: QueryLimits;
  readonly include: IncludeLimits;
  readonly parseDoubleUnderscore: boolean;
  /** Whether `prismaQueryOptions` is enabled (contract C22). */
  readonly allowDangerousOrmQueryOptions: boolean;
  /** Whether row rules apply to the caller. */
  readonly isGuarded: boolean;
}

/** The options of a list in Prisma's form, except the filters. */
export interface ListOptions {
  where: Filter;
  orderBy: readonly Readonly<Record<string, unknown>>[];
  take: number;
  skip: number;
  select: Select;
  cursor?: Where;
  distinct?: readonly string[];
}

/** The requested list. */
export interface ListQuery {
  readonly options: ListOptions;
  /** From 1; `undefined` without page numbers. */
  readonly page: number | undefined;
  readonly limit: number;
  readonly wantsTotal: boolean;
  /** The start of a page in cursor mode; separate from the filter, which the total counts. */
  readonly after: Filter | undefined;
  /** The keys of cursor mode. */
  readonly cursor: CursorKeys | undefined;
  /** Fields that were fetched for the cursor only, and are not returned. */
  readonly unshown: readonly string[];
  /** The database cost of its filters (contract C59). */
  readonly cost: number;
}

/**
 * Reads the query of a list (contract C8, C9, C10).
 *
 * @throws {HttpError} 400 that names every wrong parameter
 */
export function readListQuery(search: string, resource: Resource, context: QueryContext): ListQuery {
  const issues = new QueryIssues();
  const { limits, resources, parseDoubleUnderscore } = context;
  const terms = readTerms(search, { parseDoubleUnderscore, limits, joinedNames: joinedNames(resources) });
  const parameters = context.allowDangerousOrmQueryOptions ? parameterNamesWithOptions : parameterNames;
  const tree = readTree(terms, { limits, parameters });
  const values = readParameters(tree.parameters, issues);
  const filterContext = { resources, limits, issues, parameters: listParameters };

  const filter = readFilter(tree.root, resource, filterContext);
  const sort = values.sort === undefined ? resource.sort : readSortKeys(values.sort, resource, filterContext);
  const inCursorMode = values.cursor !== undefined;
  if (inCursorMode && values.page !== undefined) {
    issues.add("cursor", "Conflict", "cursor and page cannot be combined.");
  }
  const { page, limit } = readPage(values.page, values.limit, resource.page, issues);
  const cursor = inCursorMode ? cursorKeys(sort, resource, issues) : undefined;
  const after = cursor !== undefined && values.cursor ? readCursor(values.cursor, cursor, issues) : undefined;
  const fields = readFields(values.fields, resource, resource.shown.findMany, issues);
  const unshown = (cursor ?? []).flatMap(({ field }) => (field.name in fields ? [] : [field.name]));
  const fetched =
    unshown.length === 0 ? fields : { ...fields, ...Object.fromEntries(unshown.map((name) => [name, true])) };
  const select = readInclude(values.include, fetched, resource, {
    resources,
    limits: context.include,
    issues,
    relations: resource.shown.findMany.relations,
  });
  const spent = { terms: terms.length - tree.parameters.size, cost: 0 };
  const own =
    values.prismaQueryOptions === undefined
      ? undefined
      : readPrismaOptions(values.prismaQueryOptions, select, resource.shown.findMany, resource, true, {
          ...filterContext,
          include: context.include,
          isGuarded: context.isGuarded,
          spent,
        });
  const isFree = own?.take !== undefined || own?.skip !== undefined || own?.cursor !== undefined;
  if (own !== undefined && inCursorMode)
    issues.add("cursor", "Conflict", "cursor and prismaQueryOptions cannot be combined.");
  const filters = [filter, own?.where, readSearch(values.search, resource, issues)];
  const where = allOf(filters.filter((one) => one !== undefined));
  if (values.count !== undefined && values.count !== "true" && values.count !== "false") {
    issues.add("count", "InvalidValue", "count must be true or false.");
  }
  issues.check();
  const sorted = sortedJoins(sort);
  const included = includedJoins(own?.select ?? select, resource, resources);
  const cost = filterCost(where, { sorted, included }) + spent.cost;
  checkCost(cost, limits.filterCost);

  return {
    options: {
      where,
      orderBy: own?.orderBy ?? toOrderBy(sort, resource),
      // One additional row shows whether there is a next page.
      take: own?.take ?? (inCursorMode ? limit + 1 : limit),
      skip: own?.skip ?? (inCursorMode ? 0 : (page - 1) * limit),
      select: own?.select ?? select,
      ...(own?.cursor === undefined ? {} : { cursor: own.cursor }),
      ...(own?.distinct === undefined ? {} : { distinct: own.distinct }),
    },
    page: inCursorMode || isFree ? undefined : page,
    limit: Math.abs(own?.take ?? limit),
    wantsTotal: values.count !== "false",
    after,
    cursor,
    unshown,
    cost,
  };
}

/** The number of relations to the fields of an order. */
const sortedJoins = (sort: readonly SortKey[]): number =>
  new Set(sort.flatMap(({ path }) => path.slice(0, -1).map((_segment, at) => path.slice(0, at + 1).join(".")))).size;
