import { type ModelEngines, type Models, makeDatabase } from "@servicekit/prisma";
import {
  chooseEngine,
  hasExtensions,
  inexactFields,
  logsQueries,
  makeStateMatcher,
  prismaEngines,
  reasonForPrisma,
} from "@servicekit/prisma/internal";
import type { Logger } from "pino";
import type { DatabaseConfig } from "../config/service-config.js";
import type { ServiceSettings } from "../config/settings.js";
import { databaseSchema } from "./database-schema.js";
import type { OpenDatabase, OpenDatabaseContext } from "./database-types.js";
import { makeClient, modelsOf, rejectReplicaExtension } from "./make-client.js";
import { openMysql } from "./open-mysql.js";
import { openReplicas } from "./open-replicas.js";
import { openSqlite } from "./open-sqlite.js";

/**
 * Creates the database of the service. It connects with the first query. The driver is loaded only if it is used. The
 * models and fields that Prisma Client reads and writes are logged at level debug.
 */
export async function openDatabase(
  { client, poolSize = defaultPoolSize, engine = "auto", exposeRaisedMessages = false }: DatabaseConfig,
  given: Models,
  settings: ServiceSettings,
  { configs, logger, aroundStatement, changes, aroundTransaction, onCommit }: OpenDatabaseContext,
): Promise<OpenDatabase> {
  const { databaseUrl: url = "", timeouts, modelRouter } = settings;
  const maxBytes = modelRouter.responseBytes;
  const { poolWait: poolWaitMs, statement: statementMs } = timeouts;
  const provider = [...given.values()][0]?.provider;
  if (typeof client !== "function") {
    rejectReplicaExtension(client);
    const models = modelsOf(client, given, configs);
    const engines = prismaEngines(models, "database.client is not a function");
    const limits = { poolWaitMs, maxBytes, exposeRaisedMessages };
    const schema = provider === "postgresql" && url !== "" ? databaseSchema(url) : undefined;
    return {
      database: makeDatabase({ client, models, engines, changes, aroundTransaction, onCommit, ...limits }),
      ...{ client, schema },
      matchStates: makeStateMatcher({ client, models, schema }),
    };
  }
  const options = { configs, aroundStatement, changes, exposeRaisedMessages };
  if (provider === "sqlite") return openSqlite(client, given, settings, options);
  if (provider === "mysql") return openMysql(client, given, settings, { ...options, logger, poolSize });
  const { makePostgresAdapter } = await import("@servicekit/prisma/postgres");
  const schema = databaseSchema(url);
  const openServer = async (url: string) => {
    const adapter = makePostgresAdapter({ url, poolSize, timeouts: { poolWaitMs, statementMs }, aroundStatement });
    const { made, usesAdapter } = makeClient(client, adapter);
    const models = modelsOf(made, given, configs);
    const { connections } = adapter;
    const chosen = chooseEngine({ client: made, adapter, models, schema, maxBytes, engine });
    const common = {
      client: made,
      ...{ models, schema, maxBytes, connections, exposeRaisedMessages, changes },
      ...{ aroundTransaction, onCommit },
    };
    const database = makeDatabase({ ...common, ...chosen });
    // The pool is ready for the first request then; nothing connects before it.
    const opened = needsPrisma(chosen.engines) || !usesAdapter ? made.$connect?.() : adapter.open();
    await opened?.catch(() => undefined);
    return { database, connections, client: made, models, usesAdapter, poolState: () => adapter.poolState() };
  };
  const primary = await openServer(url);
  const { connections, client: made, models, poolState } = primary;
  logEngines(logger, primary.database.engines);
  warnOfInexactFields(logger, made, models, engine);
  const replicas = await openReplicas({
    ...{ settings, primary: primary.database, connections, logger },
    open: openServer,
  });
  return {
    database: replicas?.database ?? primary.database,
    client: made,
    ...{ connections, schema },
    matchStates: makeStateMatcher({ client: made, models, schema }),
    poolState,
    replicas,
  };
}

/** Whether usual queries run on Prisma Client: loading its query compiler takes 0.2 s of CPU and 60 MB. */
const needsPrisma = (engines: ModelEngines): boolean =>
  [...engines.values()].some((model) => model.engine === "prisma" || model.fieldsByPrisma.length > 0);

function logEngines(logger: Logger, engines: ModelEngines): void {
  const models = [...engines].filter(([, model]) => model.engine === "prisma" || model.fieldsByPrisma.length > 0);
  if (models.length > 0)
    logger.debug({ models: Object.fromEntries(models) }, "Prisma Client runs the queries of these models or fields.");
}

/** Logs the fields for which Prisma Client was chosen, and which it cannot read exactly. */
function warnOfInexactFields(
  logger: Logger,
  client: object,
  models: Models,
  engine: NonNullable<DatabaseConfig["engine"]>,
): void {
  const reason = reasonForPrisma(client, models, engine);
  const fields = reason === undefined ? [] : inexactFields(models);
  if (fields.length === 0) return;
  const cut = "Prisma truncates date-times to milliseconds, rounds long numbers in JSON, and fails on lists with NULL";
  logger.warn(
    { fields },
    hasExtensions(client)
      ? `The Prisma client has extensions, so Prisma reads these fields: ${cut}.`
      : `Prisma Client runs the queries, because ${reason}. Only queries with these fields are SQL of the service, which ${logsQueries(client) ? "the client runs and logs" : "the client does not run"}: ${cut}.`,
  );
}

/** The default number of connections of a client that the application created. */
export const defaultPoolSize = 10;
