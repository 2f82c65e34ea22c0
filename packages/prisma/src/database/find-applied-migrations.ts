import { quoteName } from "../quote-name.js";
import type { Connections } from "./connections.js";

/**
 * The migrations of Prisma that the database has got to the end; none where it has no table of them.
 *
 * @param schema where that table is; where it is not known, what the connection says counts
 */
export async function findAppliedMigrations(
  ask: Connections["ask"],
  schema: string | undefined,
): Promise<ReadonlySet<string>> {
  const table = `${schema === undefined ? "" : `${quoteName(schema)}.`}_prisma_migrations`;
  const done = "finished_at IS NOT NULL AND rolled_back_at IS NULL";
  try {
    const rows = await ask(`SELECT migration_name FROM ${table} WHERE ${done}`);
    return new Set((rows as readonly { readonly migration_name: string }[]).map((row) => row.migration_name));
  } catch {
    return new Set();
  }
}
