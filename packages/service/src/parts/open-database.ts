import { StartError, type StartFault } from "@servicekit/core";
import { omittedModels } from "@servicekit/model-router/internal";
import {
  type Database,
  type DatabaseSettings,
  type Models,
  makeDatabase,
  type PrismaClientLike,
} from "@servicekit/prisma";
import type { Choice, ChosenReads } from "@servicekit/prisma/internal";
import { computedFields, hasExtensions, isOmitted, providerFault } from "@servicekit/prisma/internal";
import type { AroundStatement, PoolState } from "@servicekit/prisma/postgres";
import type { Logger } from "pino";
import type { DatabaseConfig, PostgresAdapter } from "../config/service-config.js";
import type { ServiceSettings } from "../config/settings.js";

/** The database of a service. */
export interface OpenDatabase {
  readonly database: Database;
  readonly client: PrismaClientLike;
  /** How busy its connections are; `undefined` for a client that the application has made. */
  readonly poolState?: () => PoolState;
}

/**
 * Makes the database of the service. Nothing connects yet: the first query does. The driver is loaded only where it is
 * used. What is left to Prisma is told at level debug.
 *
 * @throws {StartError} for `reads` or `writes: "sql"` with a client whose reads or writes must all be Prisma's
 */
export async function openDatabase(
  { client, poolSize = defaultPoolSize, reads = "auto", writes = "auto", exposeRaisedMessages = false }: DatabaseConfig,
  given: Models,
  settings: ServiceSettings,
  { logger, aroundStatement }: { readonly logger: Logger; readonly aroundStatement: AroundStatement | undefined },
): Promise<OpenDatabase> {
  const { databaseUrl: url = "", timeouts, modelRouter } = settings;
  const maxBytes = modelRouter.responseBytes;
  const { poolWait: poolWaitMs, statement: statementMs } = timeouts;
  if (typeof client !== "function") {
    const models = modelsOf(client, given, logger);
    throwFaults({ reads, writes }, () => "database.client is no function");
    return { database: makeDatabase({ client, models, poolWaitMs, maxBytes, exposeRaisedMessages }), client };
  }
  const { makePostgresAdapter } = await import("@servicekit/prisma/postgres");
  const adapter = makePostgresAdapter({ url, poolSize, timeouts: { poolWaitMs, statementMs }, aroundStatement });
  const made = makeClient(client, adapter);
  const models = modelsOf(made, given, logger);
  const schema = new URL(url).searchParams.get("schema") ?? "public";
  // The connections are there for the first request then; nothing connects before it.
  await made.$connect?.().catch(() => undefined);
  const { connections } = adapter;
  const common = { client: made, models, schema, maxBytes, connections, exposeRaisedMessages };
  const poolState = () => adapter.poolState();
  const choice = { client: made, adapter, models, schema, maxBytes };
  const chosen = await chooseWays({ reads, writes }, choice, logger);
  return { database: makeDatabase({ ...common, ...chosen }), client: made, poolState };
}

/** The models as the client shows their rows: what its `omit` leaves out is only written. */
function modelsOf(client: object, models: Models, logger: Logger): Models {
  const computed = [...models.values()].flatMap((model) =>
    computedFields(client, model).map((field) => `${model.name}.${field}`),
  );
  if (computed.length > 0) {
    const message =
      "$extends({ result }) of the Prisma client computes fields that no response has: they are not supported.";
    logger.warn({ fields: computed }, message);
  }
  return omittedModels(models, (model, { name }) => isOmitted(client, model, name));
}

/** Who is wanted for reads and writes. */
type Wanted = Required<Pick<DatabaseConfig, "reads" | "writes">>;

/** The package is loaded only where it is used. */
async function chooseWays(
  wanted: Wanted,
  choice: Choice,
  logger: Logger,
): Promise<Pick<DatabaseSettings, "reads" | "writes">> {
  const { chooseReads, chooseWrites, inexactFields } = await import("@servicekit/prisma/internal");
  const reads = chooseReads({ ...choice, prefersPrisma: wanted.reads === "prisma" });
  const writes = chooseWrites({ ...choice, prefersPrisma: wanted.writes === "prisma" });
  throwFaults(wanted, (way) => (way === "reads" ? reads : writes).whyNone);
  if (wanted.reads !== "prisma") tell(logger, reads, "read");
  if (wanted.writes !== "prisma") tell(logger, writes, "written");
  const inexact = hasExtensions(choice.client) ? inexactFields(choice.models) : [];
  if (inexact.length > 0) {
    const cut = "Prisma cuts moments to milliseconds, rounds long numbers in JSON and fails on lists with NULL";
    logger.warn({ fields: inexact }, `The Prisma client has extensions, so Prisma reads these fields: ${cut}.`);
  }
  return { reads: reads.reads, writes: writes.writes };
}

function tell(logger: Logger, chosen: Left, done: "read" | "written"): void {
  const { whyNone, byPrisma } = chosen;
  if (whyNone !== undefined) logger.debug(`All rows are ${done} by Prisma: ${whyNone}.`);
  else if (byPrisma.length > 0) logger.debug({ fields: byPrisma }, `Rows with these fields are ${done} by Prisma.`);
}

type Left = Pick<ChosenReads, "whyNone" | "byPrisma">;

function throwFaults(wanted: Wanted, whyNone: (way: keyof Wanted) => string | undefined): void {
  const faults = (["reads", "writes"] as const).flatMap((way): StartFault[] => {
    const why = wanted[way] === "sql" ? whyNone(way) : undefined;
    return why === undefined ? [] : [{ where: `database.${way}`, message: `is "sql", but ${why}; take "auto".` }];
  });
  if (faults.length > 0) throw new StartError(faults);
}

type MakeClient = Extract<DatabaseConfig["client"], (...given: never[]) => unknown>;

/** A client of another database refuses the adapter, in words of its own (contract C77). */
function makeClient(make: MakeClient, adapter: PostgresAdapter): PrismaClientLike {
  try {
    return make({ adapter });
  } catch (error) {
    const [, provider] = /not compatible with the provider `(\w+)`/.exec(String(error)) ?? [];
    const foreign = providerFault(provider);
    if (foreign === undefined) throw error;
    throw new StartError([{ where: "database.client", message: foreign }]);
  }
}

/** As many connections as a client of the application's own has by itself. */
export const defaultPoolSize = 10;
