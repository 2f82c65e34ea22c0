import { quoteName } from "../models/quote-name.js";
import type { Clause } from "../queries/query-args.js";
import type { TextSearch } from "../queries/text-search.js";
import { rankSql, searchSql } from "../search/search-sql.js";
import { whereSql } from "./filter-sql.js";
import type { Scope } from "./statement.js";

/** The rows of a query. */
interface Matching {
  readonly where: Clause | undefined;
  readonly search: TextSearch | undefined;
}

/** The condition of the rows of a query. */
export function matchingSql({ where, search }: Matching, scope: Scope): string {
  const condition = whereSql(where, scope);
  if (search === undefined) return condition;
  const found = searchSql(search, ...namesIn(scope));
  return condition === "TRUE" ? found : `${found} AND ${condition}`;
}

/** An `ORDER BY`, after the rank if the search has one. */
export function rankedSql(search: TextSearch | undefined, order: string, scope: Scope): string {
  if (search?.isRanked !== true) return order;
  return order.replace(/^ ORDER BY /, () => ` ORDER BY ${rankSql(search, ...namesIn(scope))} DESC, `);
}

const namesIn = ({ alias, statement }: Scope) =>
  [(column: string) => `${alias}.${quoteName(column)}`, (value: unknown) => statement.parameter(value)] as const;
