import { mkdtempSync, rmSync } from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import type { Model, Models, StoredField } from "@servicekit/prisma";
import servicekit, { type ServiceInitConfig } from "@servicekit/service";
import { pino } from "pino";
import { type EventReader, readEvents } from "../../../../packages/service/test/event-reader.js";
import { alone } from "../../../../packages/service/test/start.js";
import { type CallerName, callers, password, type Role, roles, userRows } from "./callers.js";
import type { DrawnRequest, DrawnRow, Setup, Values } from "./cases.js";
import { takeDatabase } from "./databases.js";
import { configure } from "./features.js";
import { drawnModels, readFixture } from "./fixtures.js";
import { storedPermissions } from "./model-features.js";
import { isManyToMany, keyOf, relationFields, storedFields } from "./rows.js";
import { type Reply, send } from "./send.js";

/** A write of one row by code of the service, without a caller: it passes every rule, and is recorded. */
export interface RowWrite {
  readonly model: string;
  readonly action: "create" | "update" | "delete";
  readonly key: Values;
  readonly values?: Values;
}

/** A service with the configuration and the rows of a case, in a database of its own. */
export interface RunningCase {
  readonly models: Models;
  /** The URL of the database. */
  readonly databaseUrl: string;
  send(request: Omit<DrawnRequest, "path">): Promise<Reply>;
  /** Opens the stream of a target below `/api`. */
  openStream(caller: CallerName, target: string, headers?: Readonly<Record<string, string>>): Promise<EventReader>;
  write(change: RowWrite): Promise<void>;
  /** All rows of all drawn models with their links, also hidden fields, by the name of the model. */
  tables(): Promise<Readonly<Record<string, readonly Values[]>>>;
  /** The recorded changes; none on databases without a change log. */
  changes(): Promise<readonly Values[]>;
  /** Makes a number the next generated key of each model. */
  setCounters(next: number): Promise<void>;
  /** Makes a number the id of the next recorded change. */
  setChangeCounter(next: number): Promise<void>;
  /** Deletes all rows of a model in the database, and what the database deletes with them. */
  empty(model: string): Promise<void>;
  close(): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: the delegates of a generated client
type Client = any;

const secret = "kG6x0Zc4oPq9TfB2nVw7LsYd1RjHuM5e";

const baseConfig = (files: string): ServiceInitConfig => ({
  port: 0,
  host: "127.0.0.1",
  logger: pino({ level: "silent" }),
  middlewares: { requestLogger: false, compression: false, rateLimit: { limit: 100_000_000 } },
  fileUpload: { baseUploadDir: files },
  request: { parameters: { allowDangerousOrmQueryOptions: true } },
  timeouts: { poolWait: 20_000, statement: 20_000 },
  limits: { eventStreams: 10_000, eventStreamsPerClient: 10_000 },
  authentication: {
    mode: "static",
    login: { allowedUsernames: ["username"] },
    password: { cost: 4 },
    rateLimit: { limit: 100_000_000 },
  },
});

/** @param serverUrl the PostgreSQL server; not used for other providers */
export async function startCase({ provider, features, rows }: Setup, serverUrl: string): Promise<RunningCase> {
  const { models, data, Client } = await readFixture(provider);
  const database = await takeDatabase(provider, serverUrl);
  const files = mkdtempSync(path.join(os.tmpdir(), "invariants-"));
  let client: Client;
  const withDatabase: ServiceInitConfig = {
    ...baseConfig(files),
    database: {
      models: data,
      client: ({ adapter }) => {
        client = new Client({ adapter });
        return client;
      },
    },
  };
  const environment = { ...alone.environment, DATABASE_URL: database.url, JWT_SECRET: secret };
  const service = await servicekit
    .init(configure(withDatabase, features, models), { ...alone, environment })
    .catch(async (error: unknown) => {
      await database.release();
      throw error;
    });
  const agent = new http.Agent({ keepAlive: true });
  const tokens = new Map<CallerName, string>();
  const urlOf = (target: string): string => `${service.url}/api${target}`;
  const headersOf = (caller: CallerName): Readonly<Record<string, string>> =>
    tokens.has(caller) ? { authorization: `Bearer ${tokens.get(caller)}` } : {};
  const delegate = (model: Model): Client => service.database?.of(model.name);

  const running: RunningCase = {
    models,
    databaseUrl: database.url,
    send: ({ caller, method, target, headers = {}, body }) => {
      const isJson = body !== undefined && typeof body !== "string";
      return send(agent, {
        url: urlOf(target),
        method,
        headers: { ...headersOf(caller), ...(isJson ? { "content-type": "application/json" } : {}), ...headers },
        text: isJson ? JSON.stringify(body) : (body as string | undefined),
      });
    },
    openStream: (caller, target, headers = {}) => readEvents(urlOf(target), { ...headersOf(caller), ...headers }),
    write: async ({ model: name, action, key, values = {} }) => {
      const model = models.get(name) as Model;
      const where = whereOf(model, key);
      if (action === "delete") await delegate(model).delete({ where });
      else if (action === "update") await delegate(model).update({ where, data: reviveRow(model, values) });
      else await delegate(model).create({ data: reviveRow(model, { ...key, ...values }) });
    },
    tables: async () => {
      const entries = drawnModels(models).map(async (model) => [model.name, await readTable(client, model, models)]);
      return Object.fromEntries(await Promise.all(entries));
    },
    changes: async () => (models.has("Change") ? client.change.findMany({ orderBy: { id: "asc" } }) : []),
    setCounters: async (next) => counters[provider](client, generatedKeys(models), next),
    setChangeCounter: async (next) => counters[provider](client, models.has("Change") ? [["Change", "id"]] : [], next),
    empty: async (name) => void (await client[(models.get(name) as Model).delegate].deleteMany()),
    close: async () => {
      agent.destroy();
      await service.close();
      await database.release();
      rmSync(files, { recursive: true, force: true });
    },
  };
  try {
    await insertUsers(client, storedPermissions(features, models));
    for (const row of rows) await insert(delegate(models.get(row.model) as Model), client, row, models);
    await running.setCounters(1000);
    for (const caller of callers) {
      if (caller === "anonymous") continue;
      const body = { username: caller, password };
      const reply = await running.send({ caller: "anonymous", method: "POST", target: "/auth/login", body });
      if (reply.status !== 200) throw new Error(`${caller} cannot sign in: ${reply.text}`);
      tokens.set(caller, reply.body.accessToken);
    }
  } catch (error) {
    await running.close();
    throw error;
  }
  return running;
}

async function insertUsers(client: Client, permissions: ReturnType<typeof storedPermissions>): Promise<void> {
  const idOf = (role: Role): number => roles.indexOf(role) + 1;
  await client.authRole.createMany({ data: roles.map((name) => ({ id: idOf(name), name })) });
  await client.authPermission.createMany({
    data: permissions.map(({ role, ...rest }) => ({ ...rest, roleId: idOf(role) })),
  });
  for (const user of userRows) {
    await client.user.create({ data: { ...user, roles: { connect: { id: idOf(user.role) } } } });
  }
}

async function insert(delegate: Client, client: Client, { model: name, values, links }: DrawnRow, models: Models) {
  const model = models.get(name) as Model;
  await delegate.create({ data: reviveRow(model, values) });
  for (const [field, keys] of Object.entries(links ?? {})) {
    const data = { [field]: { connect: keys } };
    await client[model.delegate].update({ where: whereOf(model, keyOf(model, values)), data });
  }
}

/** A unique key in Prisma's form. */
function whereOf(model: Model, key: Values): Values {
  const values = reviveRow(model, key);
  return Object.keys(key).length === 1 ? values : { [model.key?.name ?? ""]: values };
}

const reviveRow = (model: Model, values: Values): Values =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, revive(model.fieldsByName.get(name) as StoredField, value)]),
  );

/** A value of a response in Prisma's form. */
function revive(field: StoredField, value: unknown): unknown {
  if (value === null || value === undefined) return value;
  if (Array.isArray(value) && field.isList) return value.map((item) => revive({ ...field, isList: false }, item));
  const revivers: Readonly<Record<string, (text: string) => unknown>> = {
    BigInt: (text) => BigInt(text),
    DateTime: (text) => new Date(text),
    Bytes: (text) => new Uint8Array(Buffer.from(text, "base64")),
  };
  return revivers[field.type]?.(value as string) ?? value;
}

async function readTable(client: Client, model: Model, models: Models): Promise<readonly Values[]> {
  const links = relationFields(model, models).filter((field) => isManyToMany(field, models));
  const include = Object.fromEntries(links.map(({ name, type }) => [name, { select: selectKey(models.get(type)) }]));
  const rows: readonly Values[] = await client[model.delegate].findMany({
    ...(links.length === 0 ? {} : { include }),
    orderBy: (model.key?.fields ?? []).map(({ name }) => ({ [name]: "asc" })),
  });
  return rows.map((row) => JSON.parse(JSON.stringify(row, plain)) as Values);
}

const selectKey = (model: Model | undefined): Values =>
  Object.fromEntries((model?.key?.fields ?? []).map(({ name }) => [name, true]));

/** Links have no order. */
function plain(_name: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (Array.isArray(value) && typeof value[0] === "object") {
    return [...value].sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  }
  return value;
}

type GeneratedKeys = readonly (readonly [table: string, column: string])[];
type SetCounters = (client: Client, keys: GeneratedKeys, next: number) => Promise<void>;

const generatedKeys = (models: Models): GeneratedKeys =>
  drawnModels(models).flatMap((model) =>
    storedFields(model).flatMap((field) =>
      field.default !== undefined && "function" in field.default && field.default.function === "autoincrement"
        ? [[model.table, field.column] as const]
        : [],
    ),
  );

const counters: Readonly<Record<Setup["provider"], SetCounters>> = {
  // The sequence of the log must look used: readers compare their position with it.
  postgresql: async (client, keys, next) => {
    for (const [table, column] of keys)
      await client.$queryRawUnsafe(
        `SELECT setval(pg_get_serial_sequence('"${table}"', '${column}'), ${next - 1})::text`,
      );
  },
  sqlite: async (client, keys, next) => {
    for (const [table] of keys)
      await client.$executeRawUnsafe(`UPDATE sqlite_sequence SET seq = ${next - 1} WHERE name = '${table}'`);
  },
  mysql: async (client, keys, next) => {
    for (const [table] of keys) await client.$executeRawUnsafe(`ALTER TABLE \`${table}\` AUTO_INCREMENT = ${next}`);
  },
};
