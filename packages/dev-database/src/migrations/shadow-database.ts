import { randomUUID } from "node:crypto";
import pg from "pg";
import { quoteName, withDatabase } from "../databases/database-url.js";

/** An empty database in which the schema engine tries migrations. */
export interface ShadowDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** The first of the two numbers of an advisory lock, common to all shadow databases. */
const lockClass = 1_397_245_260;

const prefix = "servicekit_shadow_";

/**
 * The shadow databases whose command has exited: each command locks the name of its database before it creates it, and
 * the server releases the lock with the session. The lock view includes all databases.
 */
const abandoned = `
  SELECT datname AS "name" FROM pg_database
  WHERE starts_with(datname, '${prefix}') AND pg_has_role(datdba, 'USAGE')
    AND NOT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2
      AND classid::int8 = ${lockClass} AND objid = (hashtext(datname)::int8 & 4294967295)::oid)`;

/** Creates a shadow database next to the one of the URL, and drops those that interrupted commands left. */
export async function createShadowDatabase(url: string): Promise<ShadowDatabase> {
  const name = `${prefix}${randomUUID()}`;
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on("error", () => {});
  await client.connect();
  const dropDatabase = (other: string) => client.query(`DROP DATABASE IF EXISTS ${quoteName(other)} WITH (FORCE)`);
  try {
    const { rows } = await client.query<{ name: string }>(abandoned);
    // Another command may drop the same one concurrently.
    for (const row of rows) await dropDatabase(row.name).catch(() => {});
    await client.query("SELECT pg_advisory_lock($1, hashtext($2))", [lockClass, name]);
    await client.query(`CREATE DATABASE ${quoteName(name)} TEMPLATE template0`);
  } catch (error) {
    await client.end();
    throw error;
  }
  return {
    url: withDatabase(url, name),
    drop: async () => {
      await dropDatabase(name).finally(() => client.end());
    },
  };
}
