import { onSqlite } from "./on-sqlite.js";

// The engine reports the missing table of a file without migrations as an error, instead of creating it.

/** Whether an SQLite file has the table of migrations. */
export function hasHistory(url: string): Promise<boolean> {
  const sql = "SELECT 1 FROM sqlite_master WHERE name = '_prisma_migrations'";
  return onSqlite(url, async (adapter) => {
    const { rows } = await adapter.queryRaw({ sql, args: [], argTypes: [] });
    return rows.length > 0;
  });
}

/** Creates Prisma's table of migrations in an SQLite file that has none. */
export const createHistory = (url: string): Promise<void> =>
  onSqlite(url, (adapter) =>
    adapter.executeScript(`CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
    "id"                    TEXT PRIMARY KEY NOT NULL,
    "checksum"              TEXT NOT NULL,
    "finished_at"           DATETIME,
    "migration_name"        TEXT NOT NULL,
    "logs"                  TEXT,
    "rolled_back_at"        DATETIME,
    "started_at"            DATETIME NOT NULL DEFAULT current_timestamp,
    "applied_steps_count"   INTEGER UNSIGNED NOT NULL DEFAULT 0
);`),
  );
