import { isSqliteUrl } from "../databases/is-sqlite-url.js";
import { onSqlite } from "./on-sqlite.js";
import { findOutdatedDefaults } from "./sqlite/outdated-defaults.js";

/**
 * The columns of an SQLite file whose defaults create values that the service cannot compare, such as `Post.createdAt`; none of
 * other databases.
 */
export async function outdatedDefaults(url: string): Promise<readonly string[]> {
  if (!isSqliteUrl(url)) return [];
  const defaults = await onSqlite(url, findOutdatedDefaults);
  return defaults.map(({ table, column }) => `${table}.${column}`);
}
