import { allOf, type Filter, type TextSearch } from "@servicekit/prisma/internal";
import { type QueryLimits } from "@servicekit/query-parser";
import { readTerms, readTree } from "@servicekit/query-parser/internal";
import { type Counting, countValues } from "../config/counting.js";
import type { IncludeLimits } from "../config/resource-config.js";
import { checkCost, filterCost, searchCost } from "../filter/cost.js";
import { QueryIssues } from "../filter/query-issues.js";
import { readFilter } from "../filter/read-filter.js";
import type { Where } from "../filter/where.js";
import { readPrismaOptions } from "../prisma-options/read-options.js";
import type { Resource, Resources } from "../resource.js";
import type { Select } from "../shown.js";
import type { SortKey } from "../sort-key.js";
import { type CursorKeys, cursorKeys, readCursor } from "./cursor.js";
import { includedJoins } from "./include-cost.js";
import { joinedNames } from "./joined-names.js";
import { listParametersOf, readParameters } from "./parameters.js";
import { type ExportLimits, exportParameters, withoutLists } from "./read-export.js";
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
  /** Set for an export: all rows are read, not a page. */
  readonly exported?: ExportLimits | undefined;
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
  search?: TextSearch;
}

/** The requested list. */
export interface ListQuery {
  readonly options: ListOptions;
  /** From 1; `undefined` without page numbers. */
  readonly page: number | undefined;
  readonly limit: number;
  /** How all matching rows are counted; `undefined` if they are not. */
  readonly counting: Counting | undefined;
  /** The keys of a cursor that continues a deep page, if the rows have them. */
  readonly continued: CursorKeys | undefined;
  /** The start of a page in cursor mode; separate from the filter, which the total counts. */
  readonly after: Filter | undefined;
  /** The keys of cursor mode. */
  readonly cursor: CursorKeys | undefined;
  /** Fields that were fetched for the cursor only, and are not returned. */
  readonly unshown: readonly string[];
  /** The database cost of its filters (contract C59). */
  readonly cost: number;
  /** The search of which the response has excerpts (contract C103). */
  readonly highlighted: TextSearch | undefined;
  /** Whether the client has limited the number of rows. */
  readonly isLimited: boolean;
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
  const parameters = listParametersOf(resource, context.allowDangerousOrmQueryOptions);
  const tree = readTree(terms, { limits, parameters });
  const { exported } = context;
  const given = readParameters(tree.parameters, issues, resource);
  const values = exported === undefined ? given : exportParameters(given, issues);
  const filterContext = { resources, limits, issues, parameters: listParametersOf(resource, false) };

  const filter = readFilter(tree.root, resource, filterContext);
  const sort = values.sort === undefined ? resource.sort : readSortKeys(values.sort, resource, filterContext);
  const inCursorMode = values.cursor !== undefined;
  if (inCursorMode && values.page !== undefined) {
    issues.add("cursor", "Conflict", "cursor and page cannot be combined.");
  }
  const size = exported === undefined ? resource.page : { default: exported.rows, max: exported.rows };
  const { page, limit } = readPage(values.page, values.limit, size, issues);
  const cursor = inCursorMode
    ? cursorKeys(sort, resource, issues)
    : exported && cursorKeys(sort, resource, new QueryIssues());
  const after = cursor !== undefined && values.cursor ? readCursor(values.cursor, cursor, issues) : undefined;
  const fields = readFields(values.fields, resource, resource.shown.findMany, issues);
  const following = cursor?.map(({ field }) => field) ?? (exported === undefined ? [] : resource.identity);
  const unshown = following.flatMap(({ name }) => (name in fields ? [] : [name]));
  const fetched =
    unshown.length === 0 ? fields : { ...fields, ...Object.fromEntries(unshown.map((name) => [name, true])) };
  const included = readInclude(values.include, fetched, resource, {
    resources,
    limits: context.include,
    issues,
    relations: resource.shown.findMany.relations,
  });
  const select =
    exported?.isTable === true
      ? withoutLists(included, resource, resources, values.include !== undefined, issues)
      : included;
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
  // A cursor continues an order by fields. The client's own options have an order of their own.
  // An export is read in the order of its keys.
  const isRanked = values.sort === undefined && own === undefined && exported === undefined;
  const found = readSearch(values.search, resource, issues, isRanked);
  if (inCursorMode && found.search !== undefined && values.sort === undefined) {
    issues.add(
      "cursor",
      "Conflict",
      "cursor requires sort with search, because results are ordered by rank without it.",
    );
  }
  const filters = [filter, own?.where, found.filter];
  const where = allOf(filters.filter((one) => one !== undefined));
  const highlighted = readHighlight(values.highlight, found.search, issues);
  const counting = readCounting(values.count, resource, issues);
  const isPaged = !inCursorMode && exported === undefined && own === undefined && found.search === undefined;
  const isDeep = isPaged && (page - 1) * limit >= deepRows;
  const keys = isDeep ? cursorKeys(sort, resource, new QueryIssues()) : undefined;
  const continued = keys?.every(({ field }) => field.name in fields) === true ? keys : undefined;
  issues.check();
  const sorted = sortedJoins(sort);
  const joined = includedJoins(own?.select ?? select, resource, resources);
  const cost = filterCost(where, { sorted, included: joined }) + spent.cost + searchCost(found.search);
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
      ...(found.search === undefined ? {} : { search: found.search }),
      ...(own?.distinct === undefined ? {} : { distinct: own.distinct }),
    },
    page: inCursorMode || isFree ? undefined : page,
    limit: Math.abs(own?.take ?? limit),
    counting: exported === undefined ? counting : undefined,
    continued,
    after,
    cursor,
    unshown,
    cost,
    highlighted,
    isLimited: values.limit !== undefined,
  };
}

/** The number of skipped rows from which a cursor is much faster than a page. */
const deepRows = 1_000;

function readCounting(value: string | undefined, { counting }: Resource, issues: QueryIssues): Counting | undefined {
  if (value === undefined || value === "true") return counting;
  if (value === "false") return undefined;
  if (value === "exact" || value === "estimated" || value === "limited") return value;
  issues.add("count", "InvalidValue", `count must be one of ${countValues.join(", ")}.`);
  return undefined;
}

/** The search whose words are marked in excerpts. */
function readHighlight(
  value: string | undefined,
  search: TextSearch | undefined,
  issues: QueryIssues,
): TextSearch | undefined {
  if (value === undefined || value === "false") return undefined;
  if (value !== "true") issues.add("highlight", "InvalidValue", "highlight must be true or false.");
  else if (search === undefined) issues.add("highlight", "Conflict", "highlight requires search.");
  return search;
}

/** The number of relations to the fields of an order. */
const sortedJoins = (sort: readonly SortKey[]): number =>
  new Set(sort.flatMap(({ path }) => path.slice(0, -1).map((_segment, at) => path.slice(0, at + 1).join(".")))).size;
