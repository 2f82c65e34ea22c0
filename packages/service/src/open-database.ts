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
  return makeDatabase({
    client: typeof client === "function" ? client(adapterOf(settings)) : client,
    models: readModels(models),
  });
}

function adapterOf({ databaseUrl, timeouts }: ServiceSettings) {
  if (databaseUrl === undefined) {
    const message =
      "is missing: database.client is a function that takes an adapter made from it. " +
      "Expected a URL such as postgresql://user:password@localhost:5432/name.";
    throw new StartError([{ where: "the environment variable DATABASE_URL", message }]);
  }
  const { poolWait: poolWaitMs, statement: statementMs } = timeouts;
  return { adapter: makePostgresAdapter({ url: databaseUrl, timeouts: { poolWaitMs, statementMs } }) };
}
