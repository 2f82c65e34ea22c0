import { withClient } from "../databases/with-client.js";
import { toMigrationError } from "./migration-error.js";

/**
 * Takes away the mark of a migration that has failed and whose script, one transaction, has left nothing: it, or another one
 * in its place, can be applied then. One that has been applied stays as it is.
 */
export async function forgetFailedMigration(url: string, name: string): Promise<void> {
  const text = `DELETE FROM _prisma_migrations WHERE migration_name = $1 AND finished_at IS NULL`;
  await withClient(url, (client) => client.query(text, [name])).catch((error: unknown) => {
    throw toMigrationError(error);
  });
}
