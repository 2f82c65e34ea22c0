import type { ConfigObject } from "@servicekit/config-loader";
import type { StartFault } from "@servicekit/errors";
import { type Database, type Models, makeDatabase } from "@servicekit/orm";
import type { DatabaseConfig } from "./config/service-config.js";
import type { Environment, ServiceSettings } from "./settings.js";

/**
 * Makes the database of the service. Nothing connects yet: the first query does. The driver is loaded only where it is
 * used.
 */
export async function openDatabase(
  { client }: DatabaseConfig,
  models: Models,
  settings: ServiceSettings,
): Promise<Database> {
  const { databaseUrl: url = "", timeouts } = settings;
  const { poolWait: poolWaitMs, statement: statementMs } = timeouts;
  if (typeof client !== "function") return makeDatabase({ client, models, poolWaitMs });
  const { makePostgresAdapter } = await import("@servicekit/orm/postgres");
  const adapter = makePostgresAdapter({ url, timeouts: { poolWaitMs, statementMs } });
  const schema = new URL(url).searchParams.get("schema") ?? "public";
  return makeDatabase({ client: client({ adapter }), models, schema, poolWaitMs });
}

const example = "Expected a URL such as postgresql://user:password@localhost:5432/name.";

/** `DATABASE_URL` is needed where `database.client` is a function, and leads to PostgreSQL (contract C38). */
export function databaseUrlFaults({ database }: ConfigObject, { DATABASE_URL: url }: Environment): StartFault[] {
  if (typeof database !== "object" || database === null || !("client" in database)) return [];
  if (typeof database.client !== "function") return [];
  const fault = (message: string): StartFault[] => [{ where: "the environment variable DATABASE_URL", message }];
  if (url === undefined || url.trim() === "") {
    return fault(`is missing: database.client is a function that takes an adapter made from it. ${example}`);
  }
  // The URL itself is not shown, for it holds a password.
  return /^postgres(ql)?:$/.test(URL.canParse(url) ? new URL(url).protocol : "")
    ? []
    : fault(`is no URL of a PostgreSQL. ${example}`);
}
