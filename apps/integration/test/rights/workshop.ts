import http from "node:http";
import path from "node:path";
import type { TenantConfig } from "@servicekit/model-router";
import { type Models, type ModelsData, readModels } from "@servicekit/prisma";
import servicekit from "@servicekit/service";
import pg from "pg";
import { pino } from "pino";
import { alone } from "../../../../packages/service/test/start.js";
import { createProviderDatabase, type TestedProvider } from "../../../../scripts/test/provider-database.js";
import { mysqlDialect, openMysqlPool } from "./mysql-pool.js";
import { type Recorder, recordChanges } from "./record-changes.js";
import { type RowDialect, recordRows, type SqlPool } from "./record-rows.js";
import { openSqlitePool, sqliteDialect } from "./sqlite-pool.js";
import { type ModelConfigs, type Rights, workshopModels, rights as workshopRights } from "./workshop-models.js";
import { type CallerName, callers, divideRows, password, workshopRows } from "./workshop-rows.js";

/** Encrypts the ids of events. */
export const jwtSecret = "kG6x0Zc4oPq9TfB2nVw7LsYd1RjHuM5e";

export type Mode = "static" | "dynamic";

/** A response as bytes. */
export interface Reply {
  readonly status: number;
  readonly text: string;
  readonly headers: http.IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into bodies of every shape
  readonly body: any;
}

/** The workshop over real HTTP, with a separate database. */
export interface Workshop extends Recorder {
  readonly mode: Mode;
  readonly models: Models;
  /** Runs SQL beside the service; on SQLite and MySQL only queries without parameters. */
  readonly pool: pg.Pool;
  /** The tenant of each row at the start, by its table and id; `undefined` without tenants. */
  readonly tenants: ReadonlyMap<string, number> | undefined;
  as(caller: CallerName, method: string, target: string, body?: unknown): Promise<Reply>;
  /** The address of a target, and the headers that identify a caller. */
  readonly urlOf: (target: string) => string;
  readonly headersOf: (caller: CallerName) => Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** The access: by the configuration, and by rows of `AuthPermission`. */
export interface WorkshopRights {
  readonly models: ModelConfigs;
  readonly rights: Readonly<Record<string, Rights>>;
  /** Whether the rows belong to two tenants. */
  readonly hasTenants?: boolean;
  /** @default "postgresql" */
  readonly provider?: TestedProvider;
}

const generated = path.join(import.meta.dirname, "../generated");

/** The models of every workshop. */
export async function readWorkshopModels(): Promise<Models> {
  const { models } = (await import(path.join(generated, "rights/models.ts"))) as { models: ModelsData };
  return readModels(models);
}

export async function startWorkshop(
  serverUrl: string,
  mode: Mode,
  { models, rights, hasTenants = false, provider = "postgresql" }: WorkshopRights = {
    models: workshopModels,
    rights: workshopRights,
  },
): Promise<Workshop> {
  const folder = path.join(generated, provider === "postgresql" ? "rights" : `rights-${provider}`);
  const { PrismaClient } = await import(path.join(folder, "client/client.ts"));
  const { models: data } = (await import(path.join(folder, "models.ts"))) as { models: ModelsData };
  const database = await createProviderDatabase(provider, serverUrl, {
    project: "apps/integration",
    fixture: "rights",
  });
  const { pool, record } = await openers[provider](database.url);
  await pool.query(workshopRows(rights));
  if (hasTenants) await pool.query(divideRows);
  const service = await servicekit.init(
    {
      port: 0,
      host: "127.0.0.1",
      logger: pino({ level: "silent" }),
      middlewares: { requestLogger: false, compression: false, rateLimit: { limit: 100_000_000 } },
      timeouts: { poolWait: 20_000, statement: 20_000 },
      limits: { eventStreams: 100_000, eventStreamsPerClient: 100_000 },
      request: { parameters: { allowDangerousOrmQueryOptions: true } },
      authentication: {
        mode,
        login: { allowedUsernames: ["username"] },
        password: { cost: 4 },
        rateLimit: { limit: 100_000_000 },
      },
      database: { models: data, client: ({ adapter }) => new PrismaClient({ adapter }) },
      models,
      ...(hasTenants ? { tenant } : {}),
    },
    {
      ...alone,
      environment: { ...alone.environment, DATABASE_URL: database.url, JWT_SECRET: jwtSecret },
    },
  );
  const agent = new http.Agent({ keepAlive: true });
  const tokens = new Map<CallerName, string>();
  const urlOf = (target: string): string => `${service.url}/api${target}`;
  const as: Workshop["as"] = (caller, method, target, body) =>
    send(agent, urlOf(target), method, body, tokens.get(caller));
  for (const caller of callers) {
    if (caller === "anonymous") continue;
    const reply = await as("anonymous", "POST", "/auth/login", { username: caller, password });
    if (reply.status !== 200) throw new Error(`${caller} cannot sign in: ${reply.text}`);
    tokens.set(caller, reply.body.accessToken);
  }
  const read = readModels(data);
  return {
    mode,
    models: read,
    pool,
    tenants: hasTenants ? await readTenants(read, pool) : undefined,
    as,
    urlOf,
    headersOf: (caller): Readonly<Record<string, string>> =>
      tokens.has(caller) ? { authorization: `Bearer ${tokens.get(caller)}` } : {},
    ...(await record()),
    close: async () => {
      agent.destroy();
      await service.close();
      await pool.end();
      await database.drop();
    },
  };
}

/** The connections beside the service, and what records its changes. */
interface OpenedPool {
  readonly pool: pg.Pool;
  record(): Promise<Recorder>;
}

const withRows = (pool: SqlPool, dialect: RowDialect): OpenedPool => ({
  pool: pool as unknown as pg.Pool,
  record: () => recordRows(pool, dialect),
});

const openers: Readonly<Record<TestedProvider, (url: string) => OpenedPool | Promise<OpenedPool>>> = {
  postgresql: openPostgres,
  sqlite: (url) => withRows(openSqlitePool(url), sqliteDialect),
  mysql: async (url) => withRows(await openMysqlPool(url), mysqlDialect),
};

function openPostgres(url: string): OpenedPool {
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  // A connection that is still closing when its database is dropped.
  pool.on("error", () => undefined);
  return { pool, record: () => recordChanges(pool) };
}

const tenant: TenantConfig = {
  field: "tenantId",
  of: (caller) => caller.user.tenantId,
  shared: ["AuthRole", "AuthPermission"],
};

async function readTenants(models: Models, pool: pg.Pool): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  for (const { name, fieldsByName } of models.values()) {
    if (!fieldsByName.has("tenantId") || !fieldsByName.has("id")) continue;
    const { rows } = await pool.query<{ id: number; tenantId: number }>(`SELECT id, "tenantId" FROM "${name}"`);
    for (const { id, tenantId } of rows) found.set(`${name} ${id}`, tenantId);
  }
  return found;
}

const boundary = "----workshop";

/** A body as the text fields of a form. */
export class Form {
  readonly text: string;
  constructor(readonly row: unknown) {
    const parts = [...formFields(row, "")].map(
      ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    );
    this.text = `${parts.join("")}--${boundary}--\r\n`;
  }
}

function* formFields(value: unknown, name: string): Generator<readonly [string, string]> {
  if (typeof value !== "object" || value === null) yield [name, String(value)];
  else {
    for (const [key, inner] of Object.entries(value)) yield* formFields(inner, name === "" ? key : `${name}[${key}]`);
  }
}

function send(
  agent: http.Agent,
  url: string,
  method: string,
  body: unknown,
  token: string | undefined,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const text = body === undefined || body instanceof Form ? body?.text : JSON.stringify(body);
    const type = body instanceof Form ? `multipart/form-data; boundary=${boundary}` : "application/json";
    const headers = {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(text === undefined ? {} : { "content-type": type, "content-length": Buffer.byteLength(text) }),
    };
    const request = http.request(url, { agent, method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const responded = Buffer.concat(chunks).toString();
        resolve({
          status: response.statusCode ?? 0,
          text: responded,
          headers: response.headers,
          body: responded === "" ? undefined : JSON.parse(responded),
        });
      });
      response.on("error", reject);
    });
    // The server may close an idle connection while it is reused.
    request.on("error", (error) =>
      request.reusedSocket ? resolve(send(agent, url, method, body, token)) : reject(error),
    );
    request.end(text);
  });
}
