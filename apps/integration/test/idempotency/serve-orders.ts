import type { DatabaseConfig, ServiceInitConfig } from "@servicekit/service";
import { inject } from "vitest";
import { PrismaClient } from "../../../../packages/service/test/generated/idempotency/client/client.js";
import { models as postgresModels } from "../../../../packages/service/test/generated/idempotency/models.js";
import { PrismaClient as MysqlClient } from "../../../../packages/service/test/generated/idempotency-mysql/client/client.js";
import { models as mysqlModels } from "../../../../packages/service/test/generated/idempotency-mysql/models.js";
import { PrismaClient as SqliteClient } from "../../../../packages/service/test/generated/idempotency-sqlite/client/client.js";
import { models as sqliteModels } from "../../../../packages/service/test/generated/idempotency-sqlite/models.js";
import { makeStarter } from "../../../../packages/service/test/start.js";
import { createProviderDatabase, type TestedProvider } from "../../../../scripts/test/provider-database.js";

const modelsOf = { postgresql: postgresModels, sqlite: sqliteModels, mysql: mysqlModels };
const clients = { postgresql: PrismaClient, sqlite: SqliteClient, mysql: MysqlClient };

/** The tested part of a response. */
export interface Reported {
  readonly status: number;
  readonly text: string;
  readonly replayed: string | null;
  readonly headers: Headers;
}

/** Only the engine of the database. */
interface OrdersConfig extends Omit<ServiceInitConfig, "database"> {
  readonly database?: Pick<DatabaseConfig, "engine">;
}

/** Starts services for orders, with separate databases. */
export function makeOrders(provider: TestedProvider = "postgresql") {
  const starter = makeStarter();
  const drops: (() => Promise<void>)[] = [];
  return {
    logText: starter.logText,
    close: async (): Promise<void> => {
      await starter.closeAll();
      for (const drop of drops.splice(0)) await drop();
    },
    start: async (config: OrdersConfig = {}, variables: Readonly<Record<string, string>> = {}) => {
      const place = { project: "packages/service", fixture: "idempotency" };
      const { url, drop } = await createProviderDatabase(provider, inject("postgresUrl"), place);
      drops.push(drop);
      const models = modelsOf[provider];
      const Client = clients[provider] as typeof PrismaClient;
      const service = await starter.init(
        {
          middlewares: { rateLimit: { limit: 100_000 } },
          ...config,
          database: { models, client: ({ adapter }) => new Client({ adapter }), ...config.database },
        },
        { environment: { NODE_ENV: "test", DATABASE_URL: url, ...variables } },
      );
      const rows = async (model: string, where: Readonly<Record<string, unknown>> = {}): Promise<number> =>
        (await service.database?.of(model).count({ where })) ?? 0;
      const client = service.database?.client as PrismaClient;
      const run = (sql: string): Promise<unknown> => client.$executeRawUnsafe(sql);
      return { ...service, rows, run, call: requesting(service.url) };
    },
  };
}

/** Sends one request, with an optional key. */
const requesting =
  (url: string) =>
  async (
    method: string,
    target: string,
    body?: unknown,
    headers: Readonly<Record<string, string | undefined>> = {},
  ): Promise<Reported> => {
    const given = Object.entries(headers).filter((header): header is [string, string] => header[1] !== undefined);
    const response = await fetch(`${url}/api/${target}`, {
      method,
      headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...Object.fromEntries(given) },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const replayed = response.headers.get("idempotency-replayed");
    return { status: response.status, text: await response.text(), replayed, headers: response.headers };
  };
