import { quoteName } from "../models/quote-name.js";
import type { Connections } from "./connections.js";

/**
 * The applied migrations of Prisma; empty without its table.
 *
 * @param schema the schema of the table; if unknown, that of the connection
 */
export async function findAppliedMigrations(
  query: Connections["query"],
  schema: string | undefined,
): Promise<ReadonlySet<string>> {
  const table = `${schema === undefined ? "" : `${quoteName(schema)}.`}_prisma_migrations`;
  const done = "finished_at IS NOT NULL AND rolled_back_at IS NULL";
  try {
    const rows = await query(`SELECT migration_name FROM ${table} WHERE ${done}`);
    return new Set((rows as readonly { readonly migration_name: string }[]).map((row) => row.migration_name));
  } catch {
    return new Set();
  }
}
