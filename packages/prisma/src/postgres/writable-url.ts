import type { Client } from "pg";
import { readConnectionString } from "./connection-string.js";
import { makeWritableHost, probeHost } from "./writable-host.js";

/** Milliseconds until a host counts as unreachable. */
const probeMs = 10_000;

/**
 * Finds the server that accepts writes, for a program that connects to one host.
 *
 * @param url a connection string that may name several hosts, as for `makePostgresAdapter`
 * @returns the connection string of that server; a URL with one host, or of another database, unchanged
 * @throws {TypeError} for an invalid list of hosts
 * @throws {Error} if no host accepts writes
 */
export async function findWritableUrl(url: string): Promise<string> {
  if (!/^postgres(ql)?:/i.test(url)) return url;
  const { url: single, hosts } = readConnectionString(url);
  if (hosts.length === 0) return url;
  const config = { connectionString: single };
  // Loaded here: a service without a database needs no driver.
  const { PrismaPg } = await import("@prisma/adapter-pg");
  // The driver's own client, which connects to nothing before it is used.
  const pool = (await new PrismaPg(config).connect()).underlyingDriver() as unknown as { Client: typeof Client };
  const { host, port } = await makeWritableHost(hosts).find((one) => probeHost(pool.Client, config, one, probeMs));
  const found = new URL(single);
  found.hostname = host.includes(":") ? `[${host}]` : host;
  found.port = String(port);
  return found.href;
}
