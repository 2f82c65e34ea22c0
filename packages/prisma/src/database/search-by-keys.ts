import { rowsWhere } from "../conditions/rows-where.js";
import { ormErrors } from "../errors/orm-errors.js";
import type { Model, StoredField } from "../models/model.js";
import { quoteName, quoteTable } from "../models/quote-name.js";
import type { Clause, ReadArgs, Row } from "../queries/query-args.js";
import type { TextSearch } from "../queries/text-search.js";
import { rankSql, searchSql } from "../search/search-sql.js";
import { vectorColumn } from "../search/search-storage.js";
import type { Executor, Query, ReadQuery, Result } from "./executor.js";
import { type PrismaHandle, queryRaw } from "./prisma-client-like.js";
import { keyText } from "./row-key.js";

/** The search of a query. */
export function searchOf({ operation, args }: Query): TextSearch | undefined {
  return operation === "findMany" || operation === "findFirst" || operation === "count" || operation === "aggregate"
    ? args.search
    : undefined;
}

/** A query whose search reads the column with the text vectors, if the caller may read all of its fields. */
export function withVector<Of extends Query>(query: Of, model: Model): Of {
  const search = searchOf(query);
  const vector = vectorColumn(model);
  if (search === undefined || vector === undefined || search.fields.length !== model.search?.fields.length)
    return query;
  const vectored: TextSearch = { ...search, vector };
  const args = { ...query.args, search: vectored };
  if (query.operation !== "findMany" || query.total?.search === undefined) return { ...query, args };
  return { ...query, args, total: { ...query.total, search: vectored } };
}

/** Prisma Client sends each key as a parameter, of which PostgreSQL accepts 65,535. */
const maxKeys = 30_000;

/** The database of a search. */
export interface SearchSource {
  readonly client: PrismaHandle;
  readonly executor: Executor;
  /** The database schema of models without one; `undefined` for that of the connection. */
  readonly schema: string | undefined;
}

/**
 * Runs a query with a search that its engine cannot express: the keys of the found rows are read by SQL, in the order of their
 * rank, and the rest of the query is run on the rows with these keys.
 *
 * @throws {HttpError} 400 if the search finds more rows than one query can name
 */
export async function searchByKeys(model: Model, query: ReadQuery, search: TextSearch, source: SearchSource) {
  const fields = keyOf(model);
  const names = fields.map(({ name }) => name);
  const keys = await foundKeys(model, search, source);
  const isFound = rowsWhere(names, keys);
  const run = (changed: ReadQuery): Promise<Result> => {
    const prepared = source.executor.prepare(model, changed);
    if (prepared === undefined) throw new TypeError(`The engine of ${model.name} has no ${changed.operation}.`);
    return prepared();
  };
  if (query.operation !== "findMany" || !search.isRanked || keys.length === 0) return run(withWhere(query, isFound));
  const { search: _search, where, orderBy: _orderBy, take, skip = 0, cursor, distinct, ...shown } = query.args;
  if (cursor !== undefined || distinct !== undefined) return run(withWhere(query, isFound));
  const select = Object.fromEntries(names.map((name) => [name, true as const]));
  const matching = await run({ operation: "findMany", args: { where: both(where, isFound), select } });
  const isMatching = new Set(rowsOf(matching).map((row) => keyText(fields, row)));
  const end = take === undefined ? undefined : skip + take;
  const page = keys.filter((key) => isMatching.has(keyText(fields, key))).slice(skip, end);
  if (page.length === 0) return { rows: [] };
  const rows = await run({ operation: "findMany", args: { ...withKeys(shown, names), where: rowsWhere(names, page) } });
  const byKey = new Map(rowsOf(rows).map((row) => [keyText(fields, row), row]));
  const isSelected = (name: string): boolean => shown.select === undefined || name in shown.select;
  const unselected = names.filter((name) => !isSelected(name));
  return {
    rows: page.flatMap((key) => {
      const row = byKey.get(keyText(fields, key));
      return row === undefined ? [] : [without(row, unselected)];
    }),
  };
}

/** Also a hidden key, because only this query reads it. */
function keyOf({ uniqueKeys, name }: Model): readonly StoredField[] {
  const [key] = uniqueKeys;
  if (key === undefined) throw new TypeError(`${name} has no key.`);
  return key.fields;
}

/** The keys of the found rows, best first. */
async function foundKeys(model: Model, search: TextSearch, { client, schema }: SearchSource): Promise<readonly Row[]> {
  const values: unknown[] = [];
  const column = (name: string): string => `t.${quoteName(name)}`;
  const add = (value: unknown): string => `$${values.push(value)}`;
  const fields = keyOf(model);
  const table = quoteTable(model, model.schema ?? schema);
  const columns = fields.map((field) => `${column(field.column)} AS ${quoteName(field.name)}`);
  const order = search.isRanked
    ? ` ORDER BY ${[`${rankSql(search, column, add)} DESC`, ...fields.map((field) => column(field.column))].join(", ")}`
    : "";
  const condition = searchSql(search, column, add);
  const limit = Math.floor(maxKeys / fields.length);
  const sql = `SELECT ${columns.join(", ")} FROM ${table} AS t WHERE ${condition}${order} LIMIT ${limit + 1}`;
  const rows = await queryRaw(client, sql, values);
  if (rows.length > limit)
    throw ormErrors.QueryTooLarge(`search finds more than ${limit} rows, the maximum here. Use more specific words.`);
  return rows;
}

function withWhere(query: ReadQuery, where: Clause): ReadQuery {
  const { search: _search, ...args } = query.args as ReadArgs;
  return { ...query, args: { ...args, where: both(args.where, where) } } as ReadQuery;
}

const both = (where: Clause | undefined, isFound: Clause): Clause =>
  where === undefined ? isFound : { AND: [where, isFound] };

const withKeys = (shown: ReadArgs, names: readonly string[]): ReadArgs =>
  shown.select === undefined
    ? shown
    : { ...shown, select: { ...shown.select, ...Object.fromEntries(names.map((name) => [name, true])) } };

const rowsOf = (result: Result): readonly Row[] => ("rows" in result ? result.rows : []);

const without = (row: Row, names: readonly string[]): Row =>
  names.length === 0 ? row : Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));
