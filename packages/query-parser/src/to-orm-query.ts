import { isOperator, operators } from "./operators.js";
import { isConditions, type ParsedQuery, type QueryScalar, type QueryValue } from "./parsed-query.js";
import { reject } from "./query-errors.js";
import type { QueryLimits } from "./query-limits.js";
import { readSort } from "./read-sort.js";

/** An order by one field, nested for a field of a related model. */
export interface OrmOrder {
  readonly [field: string]: "asc" | "desc" | OrmOrder;
}

/** The arguments of an ORM's `findMany`. */
export interface OrmQuery {
  readonly where: ParsedQuery;
  readonly orderBy?: OrmOrder[];
  readonly take?: number;
  readonly skip?: number;
}

/** Bounds of {@link toOrmQuery} (contract C8). */
export interface ToOrmQueryOptions {
  /** The page's size when only `page` is given. @default 20 */
  readonly defaultLimit?: number;
  /** @default 100 */
  readonly maxLimit?: number;
  readonly limits?: Partial<QueryLimits>;
}

/**
 * Sorts a parsed query into the arguments of an ORM: `sort` to `orderBy`, `limit` to `take`, `page` to `skip`, all else
 * to `where`, where a list without an operator means `in`. Whether the fields exist is the caller's to check.
 *
 * @throws {HttpError} 400 `InvalidOperand` for a `limit` or `page` out of range, and what `readSort` throws
 */
export function toOrmQuery(parsed: ParsedQuery, options: ToOrmQueryOptions = {}): OrmQuery {
  const { defaultLimit = 20, maxLimit = 100, limits } = options;
  const { sort, limit, page, ...filters } = parsed;
  const where = toWhere(filters);
  for (const [name, value] of Object.entries({ sort, limit, page })) {
    if (isConditions(value)) where[name] = toFieldFilter(value);
  }
  const take = readCount("limit", limit, maxLimit) ?? (isGiven(page) ? defaultLimit : undefined);
  const number = readCount("page", page, take === undefined ? 1 : Math.floor(Number.MAX_SAFE_INTEGER / take));
  const orderBy = readOrder(sort, limits);
  return {
    where,
    ...(orderBy === undefined ? {} : { orderBy }),
    ...(take === undefined ? {} : { take }),
    ...(number === undefined || take === undefined ? {} : { skip: (number - 1) * take }),
  };
}

/** `limit__gte=5` filters a field of that name; only a value alone is the parameter. */
const isGiven = (value: QueryValue | undefined): value is QueryScalar | QueryScalar[] =>
  value !== undefined && !isConditions(value);

function readCount(name: string, value: QueryValue | undefined, max: number): number | undefined {
  if (!isGiven(value)) return undefined;
  const number = typeof value === "string" && /^[1-9]\d{0,15}$/.test(value) ? Number(value) : value;
  if (typeof number === "number" && Number.isSafeInteger(number) && number >= 1 && number <= max) return number;
  throw reject("InvalidOperand", name, `The parameter "${name}" must be an integer from 1 to ${max}.`);
}

function readOrder(value: QueryValue | undefined, limits: Partial<QueryLimits> | undefined): OrmOrder[] | undefined {
  if (!isGiven(value)) return undefined;
  return readSort([value].flat().join(","), limits).map(({ path, direction }) =>
    path.reduceRight<OrmOrder | "asc" | "desc">((inner, field) => ({ [field]: inner }), direction),
  ) as OrmOrder[];
}

function toWhere(conditions: ParsedQuery): ParsedQuery {
  const where: ParsedQuery = {};
  for (const [key, value] of Object.entries(conditions)) {
    if (key === "AND" || key === "OR" || key === "NOT") where[key] = toGroup(value);
    else if (isConditions(value)) where[key] = toFieldFilter(value);
    else where[key] = Array.isArray(value) ? { in: value as QueryScalar[] } : value;
  }
  return where;
}

const toGroup = (value: QueryValue): QueryValue => {
  if (Array.isArray(value)) return value.map((entry) => (isConditions(entry) ? toWhere(entry) : {}));
  return isConditions(value) ? toWhere(value) : value;
};

function toFieldFilter(value: ParsedQuery): ParsedQuery {
  const filter: ParsedQuery = {};
  for (const [key, operand] of Object.entries(value)) {
    if (!isOperator(key)) Object.assign(filter, toWhere({ [key]: operand }));
    else if (operators[key].operands === "relation" && isConditions(operand)) filter[key] = toWhere(operand);
    else filter[key] = operand;
  }
  return filter;
}
