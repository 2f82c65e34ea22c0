import { readFileSync } from "node:fs";
import path from "node:path";
import { type Model, type Models, type ModelsData, type PrismaClientLike, readModels } from "@servicekit/prisma";
import pg from "pg";
import { pushSchema } from "../../../../packages/dev-database/src/index.js";
import { createMysqlDatabase } from "../../../../scripts/test/mysql-database.js";
import type { TestedProvider } from "../../../../scripts/test/provider-database.js";
import { createSqliteDatabase } from "../../../../scripts/test/sqlite-database.js";
import { createFilledDatabase } from "../../../../scripts/test/template-database.js";

/** A committed schema with its generated models and client. */
export interface Fixture {
  readonly provider: TestedProvider;
  readonly data: ModelsData;
  readonly models: Models;
  readonly Client: new (options: { readonly adapter: unknown }) => PrismaClientLike;
}

/** A database with the tables of a fixture. */
export interface CaseDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

const tests = path.join(import.meta.dirname, "..");
const schemaOf = (provider: TestedProvider): string =>
  path.join(tests, `fixtures/invariants-${provider}/schema.prisma`);

/** The models of the support of features, which no case configures. */
const support: ReadonlySet<string> = new Set(["User", "IdempotencyKey", "Change", "ChangePosition"]);
const deliveries: ReadonlySet<string> = new Set(["Webhook", "WebhookDelivery"]);

/** The models that cases configure, referenced ones first. */
export const drawnModels = (models: Models): readonly Model[] =>
  [...models.values()].filter(({ name }) => !support.has(name) && !deliveries.has(name));

export async function readFixture(provider: TestedProvider): Promise<Fixture> {
  const folder = path.join(tests, `generated/invariants-${provider}`);
  const { models: data } = (await import(path.join(folder, "models.ts"))) as { models: ModelsData };
  const { PrismaClient: Client } = (await import(path.join(folder, "client/client.ts"))) as {
    PrismaClient: Fixture["Client"];
  };
  return { provider, data, models: readModels(data), Client };
}

const creators: Readonly<Record<TestedProvider, (serverUrl: string) => Promise<CaseDatabase>>> = {
  postgresql: (serverUrl) => {
    const schema = schemaOf("postgresql");
    return createFilledDatabase(serverUrl, {
      sources: [schema],
      key: "citext",
      fill: async (url) => {
        const client = new pg.Client({ connectionString: url });
        await client.connect();
        await client.query("CREATE EXTENSION citext");
        await client.end();
        await pushSchema(url, readFileSync(schema, "utf8"));
      },
    });
  },
  sqlite: async () => {
    const { url, drop } = await createSqliteDatabase(schemaOf("sqlite"));
    return { url, drop: async () => drop() };
  },
  mysql: async () => createMysqlDatabase((await readFixture("mysql")).models),
};

/** @param serverUrl the PostgreSQL server; not used for other providers */
export const createCaseDatabase = (provider: TestedProvider, serverUrl: string): Promise<CaseDatabase> =>
  creators[provider](serverUrl);
