import pg from "pg";
import { parseDatabaseUrl } from "./database-url.js";

/** Runs `work` on a separate connection and closes it. */
export async function withClient<T>(
  url: string,
  work: (client: pg.Client) => Promise<T>,
  settings: Omit<pg.ClientConfig, "connectionString"> = {},
): Promise<T> {
  parseDatabaseUrl(url);
  const client = new pg.Client({ connectionTimeoutMillis: 10_000, ...settings, connectionString: url });
  // A server that closes the session between two queries would otherwise crash this process.
  client.on("error", () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}
