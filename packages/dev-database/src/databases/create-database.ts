import { randomBytes } from "node:crypto";
import { quoteName, withDatabase } from "./database-url.js";
import { withClient } from "./with-client.js";

/** Options of `createDatabase`. */
export interface CreateDatabaseOptions {
  /** @default "test_" and a random word */
  readonly name?: string;
  /** A database to copy, including its data; no client may be connected to it. */
  readonly template?: string;
}

/** A database that `createDatabase` created. */
export interface CreatedDatabase {
  readonly url: string;
  readonly name: string;
  /** Terminates every connection to the database and drops it. */
  drop(): Promise<void>;
}

/**
 * Creates a database on a server. Without a template it is empty, in UTF-8, and sorts by code point on every machine.
 *
 * @param serverUrl connects to any database of the server, as a user who may create databases.
 * @throws RangeError for a name that PostgreSQL would truncate or a URL cannot contain.
 */
export async function createDatabase(
  serverUrl: string,
  { name = `test_${randomBytes(8).toString("hex")}`, template }: CreateDatabaseOptions = {},
): Promise<CreatedDatabase> {
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
