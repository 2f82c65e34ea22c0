import { type ParsedQuery, stringifyQuery } from "@servicekit/query-parser";

/** The parts of any query, without the types of its model. */
export interface AnyQuery {
  readonly where?: object | undefined;
  readonly fields?: readonly string[] | undefined;
  readonly include?: object | undefined;
  readonly sort?: readonly string[] | undefined;
  readonly search?: string | undefined;
  readonly page?: number | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  readonly count?: boolean | string | undefined;
  readonly highlight?: boolean | undefined;
  readonly deleted?: string | undefined;
  readonly permanent?: boolean | undefined;
  /** The parameters of an aggregate. */
  readonly groupBy?: readonly string[] | undefined;
  readonly sum?: readonly string[] | undefined;
  readonly avg?: readonly string[] | undefined;
  readonly min?: readonly string[] | undefined;
  readonly max?: readonly string[] | undefined;
  readonly countDistinct?: readonly string[] | undefined;
  readonly having?: object | undefined;
  readonly timeZone?: string | undefined;
}

/** A list reads every value by the type of its field, so only null and commas need quoting (contract C10). */
const byType = { notation: "brackets", parseNumber: false, parseBoolean: false } as const;
/** Search words are plain text. */
const asText = { ...byType, parseNull: false, parseArray: false } as const;

/** The field names that need an operator in a filter, because they are parameters (contract C8). */
const parameters = new Set(
  "sort page limit cursor fields include search count highlight groupBy sum avg min max countDistinct having timeZone deleted permanent".split(
    " ",
  ),
);

/** The query string, with `?` if it is not empty. */
export function writeQuery({ where = {}, having, include, search, sort, fields, ...plain }: AnyQuery = {}): string {
  const words = {
    sort,
    fields,
    include: include && writeInclude(include),
    ...plain,
  };
  const parts = [
    stringifyQuery(Object.fromEntries(Object.entries(where).map(asFilter)) as ParsedQuery, byType),
    having && stringifyQuery({ having } as ParsedQuery, byType),
    search && stringifyQuery({ search }, asText),
    ...Object.entries(words).map(([name, value]) =>
      value === undefined || (String(value) === "" && name !== "cursor")
        ? ""
        : `${name}=${encodeURIComponent(String(value))}`,
    ),
  ].filter(Boolean);
  return parts.length === 0 ? "" : `?${parts.join("&")}`;
}

/** A plain query of a declared route, without `undefined` values. */
export function writePlainQuery(query: object = {}): string {
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
