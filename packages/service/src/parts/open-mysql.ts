import { StartupError } from "@servicekit/core";
import { whenMissing } from "@servicekit/core/internal";
import { type Models, makeDatabase } from "@servicekit/prisma";
import { caseInsensitiveColumns, makeStateMatcher, prismaEngines } from "@servicekit/prisma/internal";
import type { ServiceSettings } from "../config/settings.js";
import type { OpenDatabase, OpenDatabaseContext } from "./database-types.js";
import { type MakeClient, makeClient, modelsOf } from "./make-client.js";
import type { SqliteOptions } from "./open-sqlite.js";

/** What a database of MySQL or MariaDB is opened with. */
export type MysqlOptions = SqliteOptions & Pick<OpenDatabaseContext, "logger"> & { readonly poolSize: number };

/**
 * Opens a MySQL or MariaDB database. Prisma Client runs every query. Columns whose text is compared without regard to case
 * are logged.
 *
 * @throws {StartupError} if the driver is not installed, or rejects the URL
 */
export async function openMysql(
  make: MakeClient,
  given: Models,
  settings: ServiceSettings,
  options: MysqlOptions,
): Promise<OpenDatabase> {
  const { makeMysqlAdapter } = await import("@servicekit/prisma/mysql").catch(
    whenMissing("the provider mysql", {
      names: ["@prisma/adapter-mariadb"],
      purpose: "The driver of MySQL and MariaDB",
    }),
  );
  const { databaseUrl: url = "", timeouts, modelRouter } = settings;
  const { configs, aroundStatement, changes, exposeRaisedMessages, logger, poolSize } = options;
  const limits = { poolWaitMs: timeouts.poolWait, statementMs: timeouts.statement };
  const adapter = inPlaceOfUrl(() => makeMysqlAdapter({ url, poolSize, timeouts: limits, aroundStatement }));
  const { connections } = adapter;
  const { made } = makeClient(make, adapter);
  const models = modelsOf(made, given, configs);
  const engines = prismaEngines(models, "SQL is written for PostgreSQL only");
  await made.$connect?.().catch(() => undefined);
  const columns = await caseInsensitiveColumns(connections.query, models).catch(() => []);
  if (columns.length > 0) logger.warn({ columns }, ignoresCase);
  const common = { client: made, models, engines, connections, changes, exposeRaisedMessages };
  return {
    database: makeDatabase({ ...common, maxBytes: modelRouter.responseBytes }),
    client: made,
    connections,
    matchStates: makeStateMatcher({ client: made, models }),
    poolState: () => adapter.poolState(),
  };
}

const ignoresCase =
  "MySQL compares the text of these columns without regard to case and accents. Give them a collation that ends in _bin, so that every operator compares exactly.";

/** The errors of a URL at its place. */
function inPlaceOfUrl<T>(open: () => T): T {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new StartupError([{ where: "the environment variable DATABASE_URL", message: error.message }]);
  }
}
