import { isMysqlUrl } from "@servicekit/core/internal";
import { isSqliteUrl, sqliteFile } from "../databases/is-sqlite-url.js";
import { withClient } from "../databases/with-client.js";
import { withLockFile } from "../server/lock-file.js";
import { toMigrationError } from "./migration-error.js";
import { withMysqlLock } from "./mysql-lock.js";

/** Any number that no other lock uses; the engine's own lock has another. */
const lockKey = 7_266_119_481;

/**
 * Runs the work under a lock per database, and waits for the lock without a limit: the engine's own lock gives up after
 * ten seconds, and a migration may run longer. The lock of a process that dies is released.
 *
 * @param onWait called if another process has the lock
 * @throws MigrationError if the database cannot be reached
 */
export async function withMigrationLock<T>(url: string, work: () => Promise<T>, onWait?: () => void): Promise<T> {
  if (isSqliteUrl(url)) {
    const options = { onWait, patienceMs: Number.POSITIVE_INFINITY };
    return withLockFile(`${sqliteFile(url)}.migrating`, "applying migrations", work, options);
  }
  if (isMysqlUrl(url)) return withMysqlLock(url, work, onWait);
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
