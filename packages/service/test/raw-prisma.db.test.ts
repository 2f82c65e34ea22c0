import path from "node:path";
import { PrismaPg } from "@prisma/adapter-pg";
import express from "express";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { createPushedDatabase } from "../../../scripts/test/template-database.js";
import { type RunningService, ServiceRouter } from "../src/index.js";
import { PrismaClient } from "./generated/notes/client/client.js";
import { models } from "./generated/notes/models.js";
import { makeStarter } from "./start.js";

const { init, closeAll, logged } = makeStarter();
const clients: PrismaClient[] = [];
let created: Awaited<ReturnType<typeof createPushedDatabase>>;
let service: RunningService;

const open = (config: ConstructorParameters<typeof PrismaPg>[0]): PrismaClient => {
  const client = new PrismaClient({ adapter: new PrismaPg(config) });
  clients.push(client);
  return client;
};

/** The application's calls of its own client, by the name of its route. */
let acts: Readonly<Record<string, () => Promise<unknown>>>;

beforeAll(async () => {
  created = await createPushedDatabase(inject("postgresUrl"), path.join(import.meta.dirname, "fixtures/notes"));
  const connectionString = created.url;
  const raw = open({ connectionString });
  const small = open({ connectionString, max: 1, connectionTimeoutMillis: 100, idleTimeoutMillis: 0 });
  // Opening the connection may take longer on a busy machine; then it stays open.
  await vi.waitFor(() => small.note.count(), 60_000);
  const slow = open({ connectionString, statement_timeout: 50 });
  const away = open({ connectionString: "postgresql://postgres@127.0.0.1:1/none", connectionTimeoutMillis: 1000 });
  await raw.note.create({ data: { id: 1, text: "first" } });
  acts = {
    unique: () => raw.note.create({ data: { id: 1, text: "second" } }),
    missing: () => raw.note.update({ where: { id: 4711 }, data: { text: "none" } }),
    absent: () => raw.note.findUniqueOrThrow({ where: { id: 4711 } }),
    pool: () =>
      small.$transaction(async (stored) => {
        await stored.$queryRaw`SELECT 1`;
        await small.note.count();
      }),
    slow: () => slow.$queryRaw`SELECT pg_sleep(5)::text`,
    away: () => away.note.count(),
    expired: () =>
      raw.$transaction(
        async (inside) => {
          await inside.$queryRaw`SELECT pg_sleep(0.2)::text`;
          await inside.note.count();
        },
        { timeout: 50 },
      ),
    field: () => raw.note.findMany({ where: { txet: "x" } as never }),
    other: () => Promise.reject(Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" })),
  };
  const act = (name: unknown): Promise<unknown> => acts[String(name)]?.() ?? Promise.reject(new Error("no such act"));
  const declared = ServiceRouter();
  declared.post({ path: "/declared/:act" }, async (req, res) => void res.json(await act(req.params.act)));
  const plain = express.Router();
  plain.post("/plain/:act", async (req, res) => void res.json(await act(req.params.act)));
  const additional = express.Router();
  additional.post("/additional/:act", (req, res, next) => {
    act(req.params.act).then((found) => res.json(found), next);
  });
  service = await init(
    {
      database: { models, client: ({ adapter }) => new PrismaClient({ adapter }) },
      models: { Note: { hooks: { beforeCreateOne: async (req) => void (await act(req.body.text)) } } },
      use: [declared, plain],
      routers: { additional: [additional] },
      middlewares: { rateLimit: { limit: 1_000_000 } },
    },
    { environment: { NODE_ENV: "test", DATABASE_URL: created.url } },
  );
});
afterAll(async () => {
  await closeAll();
  for (const client of clients) await client.$disconnect();
  await created.drop();
});

const ways = {
  "a declared route": (name: string) => post(`/declared/${name}`),
  "a plain router of use": (name: string) => post(`/plain/${name}`),
  "a plain router of routers.additional": (name: string) => post(`/additional/${name}`),
  "a hook": (name: string) => post("/api/notes", { text: name }),
};

async function post(target: string, body?: object) {
  const response = await fetch(`${service.url}${target}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const problem = (await response.json()) as { code: string; detail: string; errors?: { in: string; path: string }[] };
  return { status: response.status, retryAfter: response.headers.get("retry-after"), ...problem };
}

describe.each(Object.entries(ways))("an error of the application's own Prisma client in %s", (_way, call) => {
  it.each([
    ["unique", 409, "UniqueConstraint", { in: "body", path: "/id" }],
    ["missing", 404, "NotFound", { in: "params", path: "" }],
    ["absent", 404, "NotFound", { in: "params", path: "" }],
  ])("C62 %s is %i %s", async (name, status, code, place) => {
    expect(await call(name)).toMatchObject({ status, code, errors: [place] });
  });

  it.each([
    ["pool", 503, "DatabaseUnavailable"],
    ["away", 503, "DatabaseUnavailable"],
    ["slow", 504, "DatabaseTimeout"],
    ["expired", 504, "DatabaseTimeout"],
  ])("C62 %s is %i %s", async (name, status, code) => {
    const reply = await call(name);
    expect(reply).toMatchObject({ status, code });
    expect(reply.retryAfter !== null).toBe(status === 503);
  });

  it("C62 an unknown field is 500, and the log names it", async () => {
    const before = logged().length;
    expect(await call("field")).toMatchObject({ status: 500 });
    const lines = logged().slice(before);
    expect(JSON.stringify(lines.filter(({ level }) => Number(level) >= 50))).toContain("txet");
  });

  it("C62 a refused connection to another system is not an error of the database", async () => {
    expect(await call("other")).toMatchObject({ status: 500, code: "InternalServerError" });
  });
});
