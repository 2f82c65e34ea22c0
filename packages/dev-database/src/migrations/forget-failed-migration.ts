import { requireSchemaEngine } from "../databases/database-url.js";
import { isSqliteUrl } from "../databases/is-sqlite-url.js";
import { withClient } from "../databases/with-client.js";
import { toMigrationError } from "./migration-error.js";
import { onSqlite } from "./on-sqlite.js";

/**
 * Removes the record of a failed migration whose script, one transaction, was rolled back, so that it or its
 * replacement can be applied. An applied migration is not changed.
 */
export async function forgetFailedMigration(url: string, name: string): Promise<void> {
  requireSchemaEngine(url, `npx prisma migrate resolve --rolled-back ${name}`);
  if (isSqliteUrl(url)) {
    const sql = "DELETE FROM _prisma_migrations WHERE migration_name = ? AND finished_at IS NULL";
    const argTypes = [{ scalarType: "string", arity: "scalar" } as const];
    await onSqlite(url, (adapter) => adapter.executeRaw({ sql, args: [name], argTypes }));
    return;
  }
  const text = `DELETE FROM _prisma_migrations WHERE migration_name = $1 AND finished_at IS NULL`;
  await withClient(url, (client) => client.query(text, [name])).catch((error: unknown) => {
    throw toMigrationError(error);
  });
}
