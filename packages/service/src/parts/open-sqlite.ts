import { whenMissing } from "@servicekit/core/internal";
import { type Models, makeDatabase } from "@servicekit/prisma";
import { makeStateMatcher, prismaEngines } from "@servicekit/prisma/internal";
import type { DatabaseConfig } from "../config/service-config.js";
import type { ServiceSettings } from "../config/settings.js";
import type { OpenDatabase, OpenDatabaseContext } from "./database-types.js";
import { type MakeClient, makeClient, modelsOf } from "./make-client.js";

/** What a database file is opened with. */
export type SqliteOptions = Pick<OpenDatabaseContext, "configs" | "aroundStatement" | "changes"> &
  Required<Pick<DatabaseConfig, "exposeRaisedMessages">>;

/**
 * Opens a database file. Prisma Client runs every query.
 *
 * @throws {StartupError} if the driver is not installed
 */
export async function openSqlite(
  make: MakeClient,
  given: Models,
  settings: ServiceSettings,
  options: SqliteOptions,
): Promise<OpenDatabase> {
  const { makeSqliteAdapter } = await import("@servicekit/prisma/sqlite").catch(
    whenMissing("the provider sqlite", { names: ["@prisma/adapter-libsql"], purpose: "The driver of SQLite" }),
  );
  const { databaseUrl: url = "", timeouts, modelRouter } = settings;
  const { configs, aroundStatement, changes, exposeRaisedMessages } = options;
  const { poolWait: poolWaitMs } = timeouts;
  const adapter = makeSqliteAdapter({ url, timeouts: { poolWaitMs }, models: given, aroundStatement });
  const { made } = makeClient(make, adapter);
  const models = modelsOf(made, given, configs);
  const engines = prismaEngines(models, "SQL is written for PostgreSQL only");
  const limits = { poolWaitMs, maxBytes: modelRouter.responseBytes, exposeRaisedMessages };
  await made.$connect?.().catch(() => undefined);
  return {
    database: makeDatabase({ client: made, models, engines, changes, ...limits }),
    client: made,
    matchStates: makeStateMatcher({ client: made, models }),
  };
}
