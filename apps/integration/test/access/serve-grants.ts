import type { AuthConfig, ServiceInitConfig } from "@servicekit/service";
import { makeStarter } from "../../../../packages/service/test/start.js";
import { createProviderDatabase, type TestedProvider } from "../../../../scripts/test/provider-database.js";
import { PrismaClient } from "../generated/grants/client/client.js";
import { models as postgresModels } from "../generated/grants/models.js";
import { PrismaClient as MysqlClient } from "../generated/grants-mysql/client/client.js";
import { models as mysqlModels } from "../generated/grants-mysql/models.js";
import { PrismaClient as SqliteClient } from "../generated/grants-sqlite/client/client.js";
import { models as sqliteModels } from "../generated/grants-sqlite/models.js";

const modelsOf = { postgresql: postgresModels, sqlite: sqliteModels, mysql: mysqlModels };
const clients = { postgresql: PrismaClient, sqlite: SqliteClient, mysql: MysqlClient };

export type Mode = "static" | "dynamic";
export const password = "a long staple of horses";

/** The parts of a response that tests read. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into bodies of every shape
  readonly body: any;
}

type Credentials = Readonly<Record<string, string>>;

/** Services with one database of users, over real HTTP. */
export async function openGrants(postgresUrl: string, provider: TestedProvider = "postgresql") {
  const { init, closeAll, logged } = makeStarter();
  const created = await createProviderDatabase(provider, postgresUrl, {
    project: "apps/integration",
    fixture: "grants",
  });
  let client: PrismaClient | undefined;
  const rows = (): PrismaClient => {
    if (client === undefined) throw new Error("No service was started.");
    return client;
  };

  const start = async (mode: Mode, config: ServiceInitConfig = {}, authentication: Partial<AuthConfig> = {}) => {
    const service = await init(
      {
        middlewares: { rateLimit: { limit: 1_000_000 } },
        authentication: {
          mode,
          login: { allowedUsernames: ["username"] },
          password: { cost: 4 },
          rateLimit: { limit: 1_000_000 },
          ...authentication,
        },
        database: {
          models: modelsOf[provider],
          client: ({ adapter }) => {
            const Client = clients[provider] as typeof PrismaClient;
            client = new Client({ adapter: adapter as never });
            return client;
          },
        },
        ...config,
      },
      { environment: { NODE_ENV: "test", DATABASE_URL: created.url, JWT_SECRET: "kG6x0Zc4oPq9TfB2nVw7LsYd1RjHuM5e" } },
    );
    const call = async (credentials: Credentials, method: string, path: string, body?: unknown): Promise<Reply> => {
      const response = await fetch(`${service.url}/api/${path}`, {
        method,
        headers: { ...credentials, ...(body === undefined ? {} : { "content-type": "application/json" }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) };
    };
    const signIn = async (username: string): Promise<Credentials> => {
      const { status, body } = await call({}, "POST", "auth/login", { username, password });
      if (status !== 200) throw new Error(`${username} cannot sign in: ${JSON.stringify(body)}`);
      return { authorization: `Bearer ${body.accessToken}` };
    };
    return { service, call, signIn };
  };

  return {
    start,
    rows,
    logged,
    closeAll,
    close: async () => {
      await closeAll();
      await created.drop();
    },
  };
}
