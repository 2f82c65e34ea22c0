import { StartupError } from "@servicekit/core";
import { withTimeLimit } from "@servicekit/core/internal";
import type { Database } from "@servicekit/prisma";
import { findComputedIssues } from "@servicekit/prisma/internal";
import type { TenantCheck } from "../parts/tenant-columns.js";
import { type DatabaseReports, findSearchReports } from "./search-reports.js";

/** A database, and the schema of models without one. */
export interface CheckedDatabase {
  readonly database: Database;
  readonly schema: string | undefined;
  readonly tenantCheck: TenantCheck;
}

/** Compares searches, the SQL of computed fields and the columns of tenants with the database; without them it is not queried. */
export async function findDatabaseReports({
  database,
  schema,
  tenantCheck,
}: CheckedDatabase): Promise<DatabaseReports> {
  const searches = await findSearchReports(database);
  const computed = schema === undefined ? [] : await findComputedIssues(database.client, database.models, schema);
  const wrongSql = computed.map(({ model, field, message }) => ({
    where: `models.${model}.computed.${field}.sql`,
    message: `PostgreSQL rejects it: ${message}.`,
  }));
  const tenants = await tenantCheck.issues(database);
  return { ...searches, errors: [...searches.errors, ...wrongSql, ...tenants] };
}

const patience = 2_000;

/**
 * Stops the start if the database rejects what is configured. A database that is not available yet is checked later.
 *
 * @throws {StartupError} with all errors
 */
export async function checkDatabase(checked: CheckedDatabase): Promise<void> {
  const late = () => new Error("The database did not respond in time.");
  const reports = await withTimeLimit(findDatabaseReports(checked), patience, late).catch(() => undefined);
  if (reports !== undefined && reports.errors.length > 0) throw new StartupError(reports.errors);
}
