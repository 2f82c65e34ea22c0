import path from "node:path";
import { pushSchema } from "@servicekit/dev-database";
import { type Models, type ModelsData, readModels } from "@servicekit/prisma";
import pg from "pg";
import { pino } from "pino";
import { createFilledDatabase } from "../../../scripts/test/template-database.js";
import type { ServiceInitConfig } from "../src/config/service-config.js";
import { initService, type RunningService } from "../src/init-service.js";
import { alone } from "./start.js";

/** The parts of a response that tests read. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into bodies of every shape
  readonly body: any;
}

export type Call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Reply>;

/** A generated schema in a separate database, served over HTTP. */
export interface ServedSchema {
  readonly models: Models;
  readonly service: RunningService;
  /** Milliseconds from the call of `service.init` until it listened. */
  readonly bootMs: number;
  readonly call: Call;
  /** That of the database. */
  readonly databaseUrl: string;
  /** Queries PostgreSQL directly. */
  sql(text: string): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

export interface SchemaToServe {
  /** The folder with `client/client.ts` and `models.ts`. */
  readonly generated: string;
  /** The schema's text, or the folder of its files. */
  readonly schema: string | { readonly directory: string };
  /** What the database has besides tables: views, extensions. */
  readonly before?: string;
  readonly after?: string;
  readonly config?: ServiceInitConfig;
}

async function run(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}

export async function serveSchema(serverUrl: string, given: SchemaToServe): Promise<ServedSchema> {
  const { PrismaClient } = await import(path.join(given.generated, "client/client.ts"));
  const { models: data } = (await import(path.join(given.generated, "models.ts"))) as { models: ModelsData };
  const { schema, before } = given;
  const database = await createFilledDatabase(serverUrl, {
    sources: typeof schema === "string" ? [] : [schema.directory],
    key: JSON.stringify([typeof schema === "string" && schema, before]),
    fill: async (url) => {
      if (before !== undefined) await run(url, before);
      await pushSchema(url, schema);
    },
  });
  const pool = new pg.Pool({ connectionString: database.url, max: 2 });
  // A connection that is still closing when its database is dropped.
  pool.on("error", () => undefined);
  if (given.after !== undefined) await pool.query(given.after);
  const from = performance.now();
  const service = await initService(
    {
      port: 0,
      host: "127.0.0.1",
      logger: pino({ level: "error" }),
      middlewares: { requestLogger: false, rateLimit: { limit: 10_000_000 } },
      // A busy machine must not make a test fail.
      timeouts: { poolWait: 20_000, statement: 20_000 },
      database: { models: data, client: ({ adapter }) => new PrismaClient({ adapter }) },
      ...given.config,
    },
    { ...alone, environment: { ...alone.environment, DATABASE_URL: database.url } },
  );
  const bootMs = performance.now() - from;
  return {
    models: readModels(data),
    service,
    bootMs,
    databaseUrl: database.url,
    call: async (method, target, body, headers = {}) => {
      const sent = body === undefined ? headers : { "content-type": "application/json", ...headers };
      const response = await fetch(`${service.url}/api${target}`, {
        method,
        headers: sent,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        body: text === "" ? undefined : JSON.parse(text),
      };
    },
    sql: async (text) => (await pool.query(text)).rows,
    close: async () => {
      await service.close();
      await pool.end();
      await database.drop();
    },
  };
}
