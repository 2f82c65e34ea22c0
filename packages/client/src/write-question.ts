import { type ParsedQuery, stringifyQuery } from "@servicekit/query-parser";

/** The parts of any question, whatever the types of its model are. */
export interface AnyQuestion {
  readonly where?: object | undefined;
  readonly fields?: readonly string[] | undefined;
  readonly include?: object | undefined;
  readonly sort?: readonly string[] | undefined;
  readonly search?: string | undefined;
  readonly page?: number | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  readonly count?: boolean | undefined;
}

/** A list reads every value by the type of its field: only null and commas need marks (contract C10). */
const byType = { notation: "brackets", parseNumber: false, parseBoolean: false } as const;
/** Words to search are text as they stand. */
const asText = { ...byType, parseNull: false, parseArray: false } as const;

/** What a field may not be filtered by without an operator, for it is a parameter (contract C8). */
const parameters = new Set(["sort", "page", "limit", "cursor", "fields", "include", "search", "count"]);

/** The query of a question, with `?` where it asks anything. */
export function writeQuestion({ where = {}, include, search, sort, fields, ...plain }: AnyQuestion = {}): string {
  const words = {
    sort: sort?.join(),
    fields: fields?.join(),
    include: include && writeInclude(include).join(),
    ...plain,
  };
  const parts = [
    stringifyQuery(Object.fromEntries(Object.entries(where).map(asFilter)) as ParsedQuery, byType),
    search && stringifyQuery({ search }, asText),
    ...Object.entries(words).map(([name, value]) =>
      value === undefined || (value === "" && name !== "cursor") ? "" : `${name}=${encodeURIComponent(value)}`,
    ),
  ].filter(Boolean);
  return parts.length === 0 ? "" : `?${parts.join("&")}`;
}

/** A plain query of a declared route; what is `undefined` is left out. */
export function writeQuery(query: object = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return given.length === 0 ? "" : `?${stringifyQuery(Object.fromEntries(given), { notation: "brackets" })}`;
}

function asFilter([name, value]: [string, unknown]): [string, unknown] {
  const isPlain = typeof value !== "object" || value === null;
  if (!parameters.has(name) || !(isPlain || Array.isArray(value))) return [name, value];
  return [name, isPlain ? { equals: value } : { in: value }];
}

/** `{ category: true, reviews: { customer: true } }` as `category` and `reviews.customer`. */
function writeInclude(tree: object): readonly string[] {
  return Object.entries(tree).flatMap(([name, branch]) => {
    const further = typeof branch === "object" && branch !== null ? writeInclude(branch) : [];
    return branch === undefined ? [] : further.length === 0 ? [name] : further.map((path) => `${name}.${path}`);
  });
}
