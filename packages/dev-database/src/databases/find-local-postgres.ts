import { withClient } from "./with-client.js";

const localUrl = "postgresql://postgres@127.0.0.1:5432/postgres";

/**
 * Returns the URL of a PostgreSQL for tests: `SERVICEKIT_TEST_DATABASE_URL` if set, otherwise the server on port 5432
 * if it accepts `postgres` without a password within 300 ms and allows the creation of databases.
 */
export async function findLocalPostgres(): Promise<string | undefined> {
  const given = process.env.SERVICEKIT_TEST_DATABASE_URL;
  if (given !== undefined && given !== "") return given;
  const question = `SELECT rolcreatedb OR rolsuper AS "may", current_setting('server_version_num')::int AS "version"
    FROM pg_roles WHERE rolname = current_user`;
  try {
    return await withClient(
      localUrl,
      async (client) => {
        const { rows } = await client.query<{ may: boolean; version: number }>(question);
        // DROP DATABASE … WITH (FORCE) came with version 13.
        return rows[0]?.may === true && rows[0].version >= 130_000 ? localUrl : undefined;
      },
      { connectionTimeoutMillis: 300, query_timeout: 300, password: "" },
    );
  } catch {
    return undefined;
  }
}
