import { comparableFields } from "../database/compares-computed.js";
import { type PrismaHandle, queryRaw } from "../database/prisma-client-like.js";
import { readFailure } from "../errors/database-failure.js";
import type { Model, Models } from "../models/model.js";
import { planSql } from "./read-plan.js";
import { Statement } from "./statement.js";

/** A computed field whose SQL PostgreSQL rejects. */
export interface ComputedIssue {
  readonly model: string;
  readonly field: string;
  /** The message of PostgreSQL. */
  readonly message: string;
}

/**
 * Plans the SQL of each computed field (contract C102), without running it. Models without a table are left out.
 *
 * @throws {Error} if the database is not available
 */
export async function findComputedIssues(
  client: PrismaHandle,
  models: Models,
  schema: string,
): Promise<readonly ComputedIssue[]> {
  const issues: ComputedIssue[] = [];
  for (const [model, field] of comparableFields(models)) {
    const statement = new Statement(models, schema);
    const { sql } = planSql(statement, models.get(model) as Model, { where: {}, orderBy: [{ [field]: "asc" }] });
    try {
      await queryRaw(client, sql, statement.values);
    } catch (error) {
      const { sqlState = "", databaseMessage = "" } = readFailure(error) ?? {};
      if (sqlState === undefinedTable) continue;
      if (!isOfExpression.test(sqlState)) throw error;
      issues.push({ model, field, message: databaseMessage });
    }
  }
  return issues;
}

const undefinedTable = "42P01";

/** Values, which constants have when a query is planned, syntax and types. */
const isOfExpression = /^(22|42)/;
