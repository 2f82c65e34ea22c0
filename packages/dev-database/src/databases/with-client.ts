import pg from "pg";
import { parseDatabaseUrl } from "./database-url.js";

/** Does `work` on a connection of its own and closes it. */
export async function withClient<T>(
  url: string,
  work: (client: pg.Client) => Promise<T>,
  settings: Omit<pg.ClientConfig, "connectionString"> = {},
): Promise<T> {
  parseDatabaseUrl(url);
  const client = new pg.Client({ connectionTimeoutMillis: 10_000, ...settings, connectionString: url });
  // A server that ends the session between two queries would otherwise end this process.
  client.on("error", () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}
