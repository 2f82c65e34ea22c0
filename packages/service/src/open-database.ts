import { StartError } from "@servicekit/errors";
import { type Database, makeDatabase, readModels } from "@servicekit/orm";
import { makePostgresAdapter } from "@servicekit/orm/postgres";
import type { DatabaseConfig } from "./config/service-config.js";
import type { ServiceSettings } from "./settings.js";

/**
 * Makes the database of the service. Nothing connects yet: the first query does.
 *
 * @throws {StartError} when a client is to be made and `DATABASE_URL` is missing
 */
export function openDatabase({ client, models }: DatabaseConfig, settings: ServiceSettings): Database {
  const read = readModels(models);
  if (typeof client !== "function") return makeDatabase({ client, models: read });
  const { databaseUrl: url, timeouts } = settings;
  if (url === undefined) {
    const message =
      "is missing: database.client is a function that takes an adapter made from it. " +
      "Expected a URL such as postgresql://user:password@localhost:5432/name.";
    throw new StartError([{ where: "the environment variable DATABASE_URL", message }]);
  }
  const { poolWait: poolWaitMs, statement: statementMs } = timeouts;
  const adapter = makePostgresAdapter({ url, timeouts: { poolWaitMs, statementMs } });
  const schema = new URL(url).searchParams.get("schema") ?? "public";
  return makeDatabase({ client: client({ adapter }), models: read, schema });
}
