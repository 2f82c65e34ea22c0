import { toMigrationError } from "./migration-error.js";
import { isMysqlError, onMysql } from "./on-mysql.js";

interface Settings {
  readonly name: string;
  readonly characterSet: string;
  readonly collation: string;
}

const settings = `SELECT SCHEMA_NAME AS name, DEFAULT_CHARACTER_SET_NAME AS characterSet, DEFAULT_COLLATION_NAME AS collation
  FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = DATABASE()`;

/**
 * Drops the database of the URL and creates it again with its character set and collation.
 *
 * @throws MigrationError if the user may not do that
 */
export async function emptyMysqlDatabase(url: string): Promise<void> {
  await onMysql(url, async ({ query }) => {
    const [found] = await query<Settings>(settings);
    if (found === undefined) return;
    const name = `\`${found.name.replaceAll("`", "``")}\``;
    await query(`DROP DATABASE ${name}`);
    await query(`CREATE DATABASE ${name} CHARACTER SET ${found.characterSet} COLLATE ${found.collation}`);
  }).catch((error: unknown) => {
    throw isMysqlError(error) ? toMigrationError(new Error(error.sqlMessage, { cause: error })) : error;
  });
}
