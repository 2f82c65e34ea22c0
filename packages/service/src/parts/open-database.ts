import { StartupError } from "@servicekit/core";
import { omittedModels } from "@servicekit/model-router/internal";
import { type Database, type ModelEngines, type Models, makeDatabase, type PrismaClientLike } from "@servicekit/prisma";
import {
  chooseEngine,
  computedFields,
  hasExtensions,
  inexactFields,
  isOmitted,
  prismaEngines,
  providerIssue,
} from "@servicekit/prisma/internal";
import type { AroundStatement, PoolState } from "@servicekit/prisma/postgres";
import type { Logger } from "pino";
import type { DatabaseConfig, PostgresAdapter } from "../config/service-config.js";
import type { ServiceSettings } from "../config/settings.js";

/** The database of a service. */
export interface OpenDatabase {
  readonly database: Database;
  readonly client: PrismaClientLike;
  /** The load of its connections; `undefined` for a client that the application created. */
  readonly poolState?: () => PoolState;
}

/**
 * Creates the database of the service. It connects with the first query. The driver is loaded only if it is used. The
 * models and fields that Prisma Client reads and writes are logged at level debug.
 */
export async function openDatabase(
  { client, poolSize = defaultPoolSize, engine = "auto", exposeRaisedMessages = false }: DatabaseConfig,
  given: Models,
  settings: ServiceSettings,
  { logger, aroundStatement }: { readonly logger: Logger; readonly aroundStatement: AroundStatement | undefined },
): Promise<OpenDatabase> {
  const { databaseUrl: url = "", timeouts, modelRouter } = settings;
  const maxBytes = modelRouter.responseBytes;
  const { poolWait: poolWaitMs, statement: statementMs } = timeouts;
  if (typeof client !== "function") {
    const models = modelsOf(client, given, logger);
    const engines = prismaEngines(models, "database.client is not a function");
    return { database: makeDatabase({ client, models, engines, poolWaitMs, maxBytes, exposeRaisedMessages }), client };
  }
  const { makePostgresAdapter } = await import("@servicekit/prisma/postgres");
  const adapter = makePostgresAdapter({ url, poolSize, timeouts: { poolWaitMs, statementMs }, aroundStatement });
  const { made, usesAdapter } = makeClient(client, adapter);
  const models = modelsOf(made, given, logger);
  const schema = new URL(url).searchParams.get("schema") ?? "public";
  const { connections } = adapter;
  const common = { client: made, models, schema, maxBytes, connections, exposeRaisedMessages };
  const poolState = () => adapter.poolState();
  const chosen = chooseEngine({ client: made, adapter, models, schema, maxBytes, engine });
  // The pool is ready for the first request then; nothing connects before it.
  const opened = needsPrisma(chosen.engines) || !usesAdapter ? made.$connect?.() : adapter.open();
  await opened?.catch(() => undefined);
  logEngines(logger, chosen.engines);
  warnOfInexactFields(logger, made, models);
  return { database: makeDatabase({ ...common, ...chosen }), client: made, poolState };
}

/** The models as the client returns their rows: fields in its `omit` are write-only. */
function modelsOf(client: object, models: Models, logger: Logger): Models {
  const computed = [...models.values()].flatMap((model) =>
    computedFields(client, model).map((field) => `${model.name}.${field}`),
  );
  if (computed.length > 0) {
    const message =
      "$extends({ result }) of the Prisma client is not supported: its computed fields are not part of responses.";
    logger.warn({ fields: computed }, message);
  }
  return omittedModels(models, (model, { name }) => isOmitted(client, model, name));
}

/** Whether usual queries run on Prisma Client: loading its query compiler takes 0.2 s of CPU and 60 MB. */
const needsPrisma = (engines: ModelEngines): boolean =>
  [...engines.values()].some((model) => model.engine === "prisma" || model.fieldsByPrisma.length > 0);

function logEngines(logger: Logger, engines: ModelEngines): void {
  const models = [...engines].filter(([, model]) => model.engine === "prisma" || model.fieldsByPrisma.length > 0);
  if (models.length > 0)
    logger.debug({ models: Object.fromEntries(models) }, "Prisma Client runs the queries of these models or fields.");
}

function warnOfInexactFields(logger: Logger, client: object, models: Models): void {
  const inexact = hasExtensions(client) ? inexactFields(models) : [];
  if (inexact.length === 0) return;
  const cut = "Prisma truncates date-times to milliseconds, rounds long numbers in JSON, and fails on lists with NULL";
  logger.warn({ fields: inexact }, `The Prisma client has extensions, so Prisma reads these fields: ${cut}.`);
}

type MakeClient = Extract<DatabaseConfig["client"], (...given: never[]) => unknown>;

/** A client of another database rejects the adapter with its own message (contract C77). */
function makeClient(
  make: MakeClient,
  adapter: PostgresAdapter,
): { readonly made: PrismaClientLike; readonly usesAdapter: boolean } {
  let usesAdapter = false;
  const given = {
    get adapter() {
      usesAdapter = true;
      return adapter;
    },
  };
  try {
    return { made: make(given), usesAdapter };
  } catch (error) {
    const [, provider] = /not compatible with the provider `(\w+)`/.exec(String(error)) ?? [];
    const foreign = providerIssue(provider);
    if (foreign === undefined) throw error;
    throw new StartupError([{ where: "database.client", message: foreign }]);
  }
}

/** The default number of connections of a client that the application created. */
export const defaultPoolSize = 10;
