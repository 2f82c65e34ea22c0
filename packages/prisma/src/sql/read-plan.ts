import type { Model } from "../models/model.js";
import type { ReadArgs } from "../queries/query-args.js";
import { whereSql } from "./filter-sql.js";
import { orderSql } from "./order-sql.js";
import { fromScope, openScope, type Statement } from "./statement.js";

/** A node of a plan of PostgreSQL. */
export interface PlanNode {
  readonly "Node Type": string;
  /** The number of rows that the planner expects. */
  readonly "Plan Rows": number;
  /** That of the table; a partition adds a number, and the scan of an index below a bitmap scan has none. */
  readonly Alias?: string;
  readonly "Index Name"?: string;
  readonly "Index Cond"?: string;
  readonly Plans?: readonly PlanNode[];
}

/**
 * Compiles the query of the plan for a read of all matching rows.
 *
 * @returns the SQL, and the alias of the table of the model in the plan
 */
export function planSql(
  statement: Statement,
  model: Model,
  { where, orderBy }: Pick<ReadArgs, "where" | "orderBy">,
): { readonly sql: string; readonly alias: string } {
  const scope = openScope(statement, model);
  const condition = whereSql(where, scope);
  const order = orderBy === undefined ? "" : orderSql(orderBy, scope);
  return { sql: `EXPLAIN (FORMAT JSON) SELECT 1 ${fromScope(scope)} WHERE ${condition}${order}`, alias: scope.alias };
}

/** Reads a plan, which Prisma returns parsed and the driver as text. */
export function readPlan(plan: unknown): PlanNode {
  const [{ Plan: top }] = (typeof plan === "string" ? JSON.parse(plan) : plan) as [{ readonly Plan: PlanNode }];
  return top;
}
