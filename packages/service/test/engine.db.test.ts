import path from "node:path";
import { PrismaPg } from "@prisma/adapter-pg";
import { afterAll, expect, inject, it, type Mock, vi } from "vitest";
import { createPushedDatabase } from "../../../scripts/test/template-database.js";
import type { DatabaseConfig } from "../src/config/service-config.js";
import { PrismaClient as RecordedClient } from "./generated/changes/client/client.js";
import { models as recordedModels } from "./generated/changes/models.js";
import { PrismaClient } from "./generated/notes/client/client.js";
import { models } from "./generated/notes/models.js";
import { makeStarter } from "./start.js";

const { init, closeAll, logged } = makeStarter();
const drops: (() => Promise<void>)[] = [];
afterAll(async () => {
  await closeAll();
  for (const drop of drops) await drop();
});

const plain: DatabaseConfig["client"] = ({ adapter }) => new PrismaClient({ adapter });
const extended: DatabaseConfig["client"] = ({ adapter }) => new PrismaClient({ adapter }).$extends({ query: {} });

let databaseUrl = "";

/** Each service has a separate database. */
async function start(engine?: DatabaseConfig["engine"], client = plain) {
  const fixture = path.join(import.meta.dirname, "fixtures/notes");
  const { url, drop } = await createPushedDatabase(inject("postgresUrl"), fixture);
  drops.push(drop);
  databaseUrl = url;
  return init(
    { database: { models, client, ...(engine === undefined ? {} : { engine }) } },
    { environment: { NODE_ENV: "test", DATABASE_URL: url } },
  );
}

it("C71 returns the same bytes, tags, links and places by SQL and by Prisma Client", async () => {
  const services = [await start("prisma"), await start("auto"), await start()];
  expect(services.map(({ database }) => database?.engines.get("Note")?.engine)).toEqual(["prisma", "sql", "sql"]);
  const requests: readonly (readonly [
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ])[] = [
    ["POST", "notes", { text: 'a "quoted" \n ü' }],
    ["POST", "notes", { text: "b" }],
    ["POST", "notes", { text: 'c "quoted" \n' }],
    ["POST", "notes", { text: "ü" }],
    ["POST", "notes", {}],
    ["GET", "notes?limit=2"],
    ["GET", "notes?limit=2&page=2"],
    ["GET", "notes?page=9"],
    ["GET", "notes?cursor=&limit=2"],
    ["GET", "notes?count=false"],
    ["GET", "notes/1"],
    ["GET", "notes/2?fields=text"],
    ["GET", "notes/99"],
    ["GET", "notes?text__contains=%22&sort=-text"],
    ["PATCH", "notes/1", { text: "c" }],
    ["PATCH", "notes/1", { text: "d" }, { "if-match": '"old"' }],
    ["PATCH", "notes/99", { text: "e" }],
    ["DELETE", "notes/2"],
    ["DELETE", "notes/2"],
    ["GET", "notes"],
  ];
  const statuses: number[] = [];
  for (const [method, target, body, headers] of requests) {
    const responses = await Promise.all(
      services.map(async ({ url }) => {
        const response = await fetch(`${url}/api/${target}`, {
          method,
          headers: { "content-type": "application/json", ...headers },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        const named = ["etag", "location", "link", "content-type"].map((name) => response.headers.get(name));
        return { status: response.status, named, text: (await response.text()).replace(/"requestId":"[^"]*"/, "") };
      }),
    );
    statuses.push(responses[0]?.status ?? 0);
    expect(responses.slice(1), `${method} ${target}`).toEqual([responses[0], responses[0]]);
  }
  expect([...new Set(statuses)].sort()).toEqual([200, 201, 204, 400, 404, 412]);
});

it("C71 uses Prisma Client for a client with extensions, and logs the reason at level debug", async () => {
  const lines = () => logged().filter(({ msg }) => /^Prisma Client runs/.test(String(msg)));
  const before = lines().length;
  await start("auto");
  expect(lines()).toHaveLength(before);
  const { url, database } = await start("auto", extended);
  const reason = "the Prisma client has extensions";
  expect(database?.engines.get("Note")).toEqual({ engine: "prisma", reason });
  expect(lines().at(-1)).toMatchObject({ level: 20, models: { Note: { engine: "prisma", reason } } });
  const created = await fetch(`${url}/api/notes`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"text":"a"}',
  });
  expect(created.status).toBe(201);
  expect((await fetch(`${url}/api/notes`)).status).toBe(200);
});

it("starts Prisma's query engine with the first query that needs it, unless Prisma Client runs usual queries", async () => {
  let connect: Mock | undefined;
  const watched: DatabaseConfig["client"] = ({ adapter }) => {
    connect = vi.spyOn(adapter, "connect");
    return new PrismaClient({ adapter });
  };
  await start("prisma", watched);
  expect(connect).toHaveBeenCalledOnce();
  const { url, database } = await start("auto", watched);
  expect((await fetch(`${url}/api/notes`)).status).toBe(200);
  expect(connect).not.toHaveBeenCalled();
  await database?.transaction((inner) => inner.of("Note").createMany({ data: [{ text: "a" }] }));
  expect(connect).toHaveBeenCalledOnce();
  expect(await (await fetch(`${url}/api/notes`)).json()).toMatchObject({ data: [{ text: "a" }] });
});

it("connects a client at startup that uses an adapter of the application", async () => {
  const connects: string[] = [];
  const { url } = await start("auto", () => {
    const own = new PrismaPg({ connectionString: databaseUrl });
    const { provider, adapterName } = own;
    const connect = () => {
      connects.push(provider);
      return own.connect();
    };
    return new PrismaClient({ adapter: { provider, adapterName, connect } });
  });
  expect(connects).toEqual(["postgres"]);
  expect((await fetch(`${url}/api/notes`)).status).toBe(200);
});

it("C71 uses Prisma Client for a client that the application created", async () => {
  const { database } = await init({ database: { models, client: new PrismaClient({ adapter: await unconnected() }) } });
  const reason = "database.client is not a function";
  expect(database?.engines.get("Note")).toEqual({ engine: "prisma", reason });
});

it.each<[name: string, database: Partial<DatabaseConfig>, message: RegExp | undefined]>([
  ["no reason for Prisma Client", {}, undefined],
  ["the engine prisma", { engine: "prisma" }, /because database\.engine is "prisma".*the client does not run/],
  [
    "a query log",
    { client: ({ adapter }) => new RecordedClient({ adapter, log: [{ emit: "event", level: "query" }] }) },
    /because the Prisma client logs its queries.*the client runs and logs/,
  ],
  [
    "extensions",
    { client: ({ adapter }) => new RecordedClient({ adapter }).$extends({ query: {} }) },
    /has extensions, so Prisma reads these fields/,
  ],
])("C94 logs once the fields that are exceptions for a client with %s", async (_name, database, message) => {
  const lines = () => logged().filter(({ fields }) => JSON.stringify(fields)?.includes("AuthKey.roles"));
  const before = lines().length;
  await init(
    { database: { models: recordedModels, client: ({ adapter }) => new RecordedClient({ adapter }), ...database } },
    { environment: { NODE_ENV: "test", DATABASE_URL: "postgresql://localhost:1/none" } },
  );
  const added = lines().slice(before);
  expect(added).toEqual(
    message === undefined ? [] : [expect.objectContaining({ level: 40, msg: expect.stringMatching(message) })],
  );
});

async function unconnected() {
  const { makePostgresAdapter } = await import("@servicekit/prisma/postgres");
  return makePostgresAdapter({ url: "postgresql://localhost:1/none" });
}
