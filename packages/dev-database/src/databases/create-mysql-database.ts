import { toMigrationError } from "../migrations/migration-error.js";
import { isMysqlError, onMysql } from "../migrations/on-mysql.js";
import type { CreatedDatabase } from "./created-database.js";

const quote = (name: string): string => `\`${name.replaceAll("`", "``")}\``;

/**
 * Creates an empty database on a server of MySQL or MariaDB whose text is compared exactly.
 *
 * @throws RangeError for a name that MySQL would reject
 * @throws MigrationError if the user may not do that
 */
export async function createMysqlDatabase(serverUrl: string, name: string): Promise<CreatedDatabase> {
  if (name === "" || name.length > 64 || /[\0/\\.]| $/.test(name))
    throw new RangeError("A database name of MySQL has 1 to 64 characters, no / \\ or ., and no blank at its end.");
  const run = (work: Parameters<typeof onMysql<void>>[1]) =>
    onMysql(serverUrl, work).catch((error: unknown) => {
      throw isMysqlError(error) ? toMigrationError(new Error(error.sqlMessage, { cause: error })) : error;
    });
  await run(async ({ query }) => {
    const [row] = await query<{ readonly version: string }>("SELECT VERSION() AS version");
    const collation = /mariadb/i.test(row?.version ?? "") ? "utf8mb4_nopad_bin" : "utf8mb4_0900_bin";
    await query(`CREATE DATABASE ${quote(name)} CHARACTER SET utf8mb4 COLLATE ${collation}`);
  });
  const url = new URL(serverUrl);
  url.pathname = `/${encodeURIComponent(name)}`;
  return {
    url: url.href,
    name,
    drop: () =>
      run(async ({ query }) => {
        await query(`DROP DATABASE IF EXISTS ${quote(name)}`);
      }),
  };
}
