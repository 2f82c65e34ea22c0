import { withClient } from "../databases/with-client.js";
import { toMigrationError } from "./migration-error.js";

/** Any number will do that nobody else locks by; the engine's own lock is another one. */
const lockKey = 7_266_119_481;

/**
 * Does the work while no other process does any under this lock on the same database, and waits for its turn as long as it
 * takes: the engine's own lock gives up after ten seconds, and a migration may run for longer. A process that dies lets go.
 *
 * @param onWait called when another process has the lock
 * @throws MigrationError when the database cannot be reached
 */
export async function withMigrationLock<T>(url: string, work: () => Promise<T>, onWait?: () => void): Promise<T> {
  let isWorking = false;
  try {
    return await withClient(url, async (client) => {
      const { rows } = await client.query<{ free: boolean }>("SELECT pg_try_advisory_lock($1) AS free", [lockKey]);
      if (rows[0]?.free !== true) {
        onWait?.();
        await client.query("SELECT pg_advisory_lock($1)", [lockKey]);
      }
      isWorking = true;
      return await work();
    });
  } catch (error) {
    throw isWorking ? error : toMigrationError(error);
  }
}
