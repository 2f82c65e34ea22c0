import type { Model } from "../models/model.js";
import type { Provider } from "../providers/provider.js";
import type { Database } from "./make-database.js";
import { queryRaw } from "./prisma-client-like.js";

/** Statements with one parameter, the name of a lock. */
interface LockStatements {
  /** Returns the column `free`: whether the session has the lock now. It does not wait. */
  readonly take: string;
  /** Releases the lock, if the end of the transaction does not. */
  readonly release?: string;
}

/** A transaction of SQLite excludes those of other processes from its start. */
const statements: Readonly<Record<Provider, LockStatements | undefined>> = {
  postgresql: { take: "SELECT pg_try_advisory_xact_lock(hashtext($1), 0)::int AS free" },
  sqlite: undefined,
  // The names are those of all databases of the server.
  mysql: {
    take: "SELECT GET_LOCK(SHA1(CONCAT(DATABASE(), ' ', ?)), 0) AS free",
    release: "SELECT RELEASE_LOCK(SHA1(CONCAT(DATABASE(), ' ', ?))) AS released",
  },
};

/**
 * Runs the work in a transaction, if no other process of this database runs work of the same name.
 *
 * @param provider that of the database
 * @returns the result, or `undefined` if another process has the lock
 */
export function withProcessLock<T>(
  database: Database,
  { name, provider = "postgresql" }: { readonly name: string; readonly provider: Model["provider"] },
  work: (inside: Database) => Promise<T>,
): Promise<T | undefined> {
  const lock = statements[provider];
  return database.transaction(async (inside) => {
    if (lock === undefined) return work(inside);
    const [row] = await queryRaw(inside.client, lock.take, [name]);
    if (Number(row?.free) !== 1) return undefined;
    try {
      return await work(inside);
    } finally {
      if (lock.release !== undefined) await queryRaw(inside.client, lock.release, [name]);
    }
  });
}
