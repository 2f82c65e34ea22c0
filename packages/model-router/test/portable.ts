import { type DatabaseSettings, type Models, type PrismaClientLike, readModels } from "@servicekit/prisma";
import { prismaExecutor } from "@servicekit/prisma/internal";
import { makeMysqlAdapter } from "@servicekit/prisma/mysql";
import { makePostgresAdapter } from "@servicekit/prisma/postgres";
import { makeSqliteAdapter } from "@servicekit/prisma/sqlite";
import { withAdapter } from "../../../scripts/test/client-adapter.js";
import { createProviderDatabase, type TestedProvider } from "../../../scripts/test/provider-database.js";
import type { ModelRouterOptions, ModelRouterSettings } from "../src/index.js";
import { PrismaClient } from "./generated/portable/client/client.js";
import { models as postgresData } from "./generated/portable/models.js";
import { PrismaClient as MysqlClient } from "./generated/portable-mysql/client/client.js";
import { models as mysqlData } from "./generated/portable-mysql/models.js";
import { PrismaClient as SqliteClient } from "./generated/portable-sqlite/client/client.js";
import { models as sqliteData } from "./generated/portable-sqlite/models.js";
import { type Served, serveModels } from "./serve-models.js";

/** The models of the fixture `portable` in a database of one provider, served over HTTP. */
export interface Portable extends Served {
  readonly models: Models;
  /** Queries the database directly. */
  query(sql: string): Promise<unknown>;
  /** The same database with other settings; closed with this one. */
  serve(settings: Partial<ModelRouterSettings>, options?: Partial<ModelRouterOptions>): Promise<Served>;
  close(): Promise<void>;
}

const busyMachine = { poolWaitMs: 20_000, statementMs: 20_000 };

async function openClient(
  provider: TestedProvider,
  serverUrl: string,
): Promise<{
  client: PrismaClient;
  ways?: Pick<DatabaseSettings, "executor">;
  drop(): unknown;
}> {
  const place = { project: "packages/model-router", fixture: "portable" };
  const { url, drop } = await createProviderDatabase(provider, serverUrl, place);
  if (provider === "postgresql") {
    const adapter = makePostgresAdapter({ url, timeouts: busyMachine });
    return { client: withAdapter(new PrismaClient({ adapter }), adapter), drop };
  }
  const client =
    provider === "mysql"
      ? new MysqlClient({ adapter: makeMysqlAdapter({ url, timeouts: busyMachine }) })
      : new SqliteClient({
          adapter: makeSqliteAdapter({ url, timeouts: busyMachine, models: readModels(sqliteData) }),
        });
  return { client: client as unknown as PrismaClient, ways: { executor: prismaExecutor }, drop };
}

/** @param serverUrl the PostgreSQL server; not used for other providers */
export async function startPortable(
  provider: TestedProvider,
  serverUrl: string,
  settings: Partial<ModelRouterSettings> = {},
  options: Partial<ModelRouterOptions> = {},
): Promise<Portable> {
  const { client, ways, drop } = await openClient(provider, serverUrl);
  const models = readModels({ postgresql: postgresData, sqlite: sqliteData, mysql: mysqlData }[provider]);
  const serve = (own: Partial<ModelRouterSettings>, more: Partial<ModelRouterOptions> = {}) =>
    serveModels(client as PrismaClientLike, models, own, [], more, ways);
  const served = await serve(settings, options);
  const others: Served[] = [];
  return {
    ...served,
    models,
    query: (sql) => client.$queryRawUnsafe(sql),
    serve: async (own, more) => {
      const other = await serve(own, more);
      others.push(other);
      return other;
    },
    close: async () => {
      await Promise.all([served, ...others].map((one) => one.stop()));
      await client.$disconnect();
      await drop();
    },
  };
}
