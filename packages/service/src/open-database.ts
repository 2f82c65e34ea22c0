import type { ConfigObject } from "@servicekit/config-loader";
import { StartError, type StartFault } from "@servicekit/errors";
import { type Database, type Models, makeDatabase, type PrismaClientLike, providerFault } from "@servicekit/orm";
import type { PoolState } from "@servicekit/orm/postgres";
import type { Logger } from "pino";
import type { DatabaseConfig, PostgresAdapter } from "./config/service-config.js";
import type { Environment, ServiceSettings } from "./settings.js";
import type { Tracing } from "./tracing/open-tracing.js";

/** The database of a service. */
export interface OpenDatabase {
  readonly database: Database;
  readonly client: PrismaClientLike;
  /** How busy its connections are; `undefined` for a client that the application has made. */
  readonly poolState?: () => PoolState;
}

/**
 * Makes the database of the service. Nothing connects yet: the first query does. The driver is loaded only where it is
 * used. What is left to Prisma of the reads is told at level debug.
 *
 * @throws {StartError} for `reads: "sql"` with a client whose reads must all be Prisma's
 */
export async function openDatabase(
  { client, poolSize = defaultPoolSize, reads: wanted = "auto" }: DatabaseConfig,
  models: Models,
  settings: ServiceSettings,
  { logger, tracing }: { readonly logger: Logger; readonly tracing: Tracing | undefined },
): Promise<OpenDatabase> {
  const { databaseUrl: url = "", timeouts } = settings;
  const { poolWait: poolWaitMs, statement: statementMs } = timeouts;
  if (typeof client !== "function") {
    if (wanted === "sql") throw readsFault("database.client is no function");
    return { database: makeDatabase({ client, models, poolWaitMs }), client };
  }
  const { makePostgresAdapter } = await import("@servicekit/orm/postgres");
  const aroundStatement = tracing?.aroundStatement;
  const adapter = makePostgresAdapter({ url, poolSize, timeouts: { poolWaitMs, statementMs }, aroundStatement });
  const made = makeClient(client, adapter);
  const schema = new URL(url).searchParams.get("schema") ?? "public";
  const common = { client: made, models, schema, connections: adapter.connections };
  const poolState = () => adapter.poolState();
  if (wanted === "prisma") return { database: makeDatabase(common), client: made, poolState };
  const { chooseReads } = await import("@servicekit/sql");
  const { reads, whyNone, byPrisma } = chooseReads({ client: made, adapter, models, schema });
  if (whyNone !== undefined && wanted === "sql") throw readsFault(whyNone);
  if (whyNone !== undefined) logger.debug(`All rows are read by Prisma: ${whyNone}.`);
  else if (byPrisma.length > 0) logger.debug({ fields: byPrisma }, "Rows with these fields are read by Prisma.");
  return { database: makeDatabase({ ...common, reads }), client: made, poolState };
}

const readsFault = (why: string): StartError =>
  new StartError([{ where: "database.reads", message: `is "sql", but ${why}; take "auto".` }]);

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
