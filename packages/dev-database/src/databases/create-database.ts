import { randomBytes } from "node:crypto";
import { isMysqlUrl } from "@servicekit/core/internal";
import { createMysqlDatabase } from "./create-mysql-database.js";
import type { CreatedDatabase } from "./created-database.js";
import { quoteName, withDatabase } from "./database-url.js";
import { withClient } from "./with-client.js";

/** Options of `createDatabase`. */
export interface CreateDatabaseOptions {
  /** @default "test_" and a random word */
  readonly name?: string;
  /** A database of PostgreSQL to copy, including its data; no client may be connected to it. */
  readonly template?: string;
}

/**
 * Creates a database on a server of PostgreSQL, MySQL or MariaDB. Without a template it is empty, in UTF-8, and sorts by
 * code point on every machine.
 *
 * @param serverUrl connects to any database of the server, as a user who may create databases.
 * @throws RangeError for a name that the server would truncate or reject, or a URL cannot contain.
 * @throws TypeError for a template on MySQL.
 */
export async function createDatabase(
  serverUrl: string,
  { name = `test_${randomBytes(8).toString("hex")}`, template }: CreateDatabaseOptions = {},
): Promise<CreatedDatabase> {
  if (isMysqlUrl(serverUrl)) {
    if (template !== undefined) throw new TypeError("MySQL cannot copy a database. Omit the template.");
    return createMysqlDatabase(serverUrl, name);
  }
  if (name === "" || Buffer.byteLength(name) > 63 || /[?#\0]/.test(name)) {
    throw new RangeError("A database name has 1 to 63 bytes, and no ? or #, which URLs cannot contain.");
  }
  const likeness =
    template === undefined ? "TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C'" : `TEMPLATE ${quoteName(template)}`;
  const run = (sql: string) => withClient(serverUrl, (client) => client.query(sql));
  await run(`CREATE DATABASE ${quoteName(name)} ${likeness}`);
  return {
    url: withDatabase(serverUrl, name),
    name,
    drop: async () => {
      await run(`DROP DATABASE IF EXISTS ${quoteName(name)} WITH (FORCE)`);
    },
  };
}
