import type { SeenModels } from "../database/executor.js";
import type { Model } from "../models/model.js";
import type { CountArgs, ReadArgs } from "../queries/query-args.js";
import { giveUp } from "./not-foldable.js";
import { orderSql } from "./order-sql.js";
import { matchingSql, rankedSql } from "./search-in-scope.js";
import { limitSql, type Shape, selectSql } from "./shape.js";
import { fromScope, openScope, type Statement } from "./statement.js";

/** A read as SQL. */
export interface ReadStatement {
  readonly sql: string;
  readonly shape: Shape;
}

/** Compiles the arguments of a list. The total of all matching rows may be part of each row of a full page. */
export function listSql(
  statement: Statement,
  model: Model,
  args: ReadArgs,
  seen: SeenModels | undefined,
  total?: CountArgs,
): ReadStatement {
  const { where, search, select, orderBy, take, skip, ...more } = args;
  if (Object.keys(more).length > 0) return giveUp();
  const scope = openScope(statement, model);
  const { shape, columns } = selectSql(select, scope, seen);
  const condition = matchingSql({ where, search }, scope);
  // Without an order, Prisma sorts a part of the rows itself.
  const isWhole = take === undefined && (skip === undefined || skip === 0);
  const order = orderBy === undefined && isWhole ? "" : rankedSql(search, orderSql(orderBy, scope), scope);
  const limit = limitSql(take, skip, scope);
  const sql = `SELECT ${statement.shown(columns)} ${fromScope(scope)} WHERE ${condition}${order}${limit}`;
  if (total === undefined) return { sql, shape };
  const all = countSql(statement, model, total);
  if (!countsItself(args, total)) return { sql: `SELECT p.*, (${all}) FROM (${sql}) AS p`, shape };
  const isFull = `count(*) OVER () = ${statement.parameter(take)}::bigint`;
  return { sql: `SELECT p.*, CASE WHEN ${isFull} THEN (${all}) END FROM (${sql}) AS p`, shape };
}

/** Whether the number of rows follows from the length of the last page. */
export const countsItself = ({ where, take = 0 }: ReadArgs, total: CountArgs): boolean =>
  take > 0 && total.where === where;

/** Compiles a count. */
export function countSql(statement: Statement, model: Model, args: CountArgs): string {
  const { where, search, take, skip, ...more } = args;
  if (Object.keys(more).length > 0) return giveUp();
  const scope = openScope(statement, model);
  const condition = matchingSql({ where, search }, scope);
  const limit = limitSql(take, skip, scope);
  const count = statement.shown(["count(*)"]);
  if (limit === "") return `SELECT ${count} ${fromScope(scope)} WHERE ${condition}`;
  return `SELECT ${count} FROM (SELECT 1 ${fromScope(scope)} WHERE ${condition}${limit}) AS p`;
}
