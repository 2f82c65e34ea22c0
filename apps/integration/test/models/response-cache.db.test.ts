import path from "node:path";
import type { RunningService, ServiceInitConfig } from "@servicekit/service";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { PrismaClient } from "../../../../packages/service/test/generated/webhooks/client/client.js";
import { models } from "../../../../packages/service/test/generated/webhooks/models.js";
import { makeStarter } from "../../../../packages/service/test/start.js";
import { emptyTables } from "../../../../scripts/test/empty-tables.js";
import { createPushedDatabase } from "../../../../scripts/test/template-database.js";
import { hasNginx, type SharedCache, startSharedCache } from "./shared-cache.js";

const password = "a long staple of horses";
const { init, closeAll } = makeStarter();
let created: Awaited<ReturnType<typeof createPushedDatabase>>;
let client: PrismaClient;

const open = { all: false } as const;
const cache = { maxAge: 60, staleWhileRevalidate: 30, public: true } as const;
const fresh = "public, max-age=60, stale-while-revalidate=30";
const personal = "private, no-cache";

const configured: NonNullable<ServiceInitConfig["models"]> = {
  Firm: { auth: open, cache, aggregate: true, export: true, changes: true },
  Order: { auth: { ...open, where: () => ({ title: { not: "secret" } }) }, changes: true },
  User: { auth: { all: true } },
  Webhook: { operations: { all: false } },
};

const authentication = {
  mode: "static",
  login: { allowedUsernames: ["username"] },
  password: { cost: 4 },
  rateLimit: { limit: 1_000_000 },
} as const;

function start(config: ServiceInitConfig = {}): Promise<RunningService> {
  return init(
    {
      // Only for tests that hang: a busy machine never reaches it.
      timeouts: { poolWait: 60_000 },
      middlewares: { rateLimit: { limit: 1_000_000 }, compression: { threshold: 0 } },
      authentication,
      database: {
        models,
        client: ({ adapter }) => {
          client = new PrismaClient({ adapter: adapter as never });
          return client;
        },
      },
      models: configured,
      ...config,
    },
    {
      environment: { NODE_ENV: "test", JWT_SECRET: "kG6x0Zc4oPq9TfB2nVw7LsYd1RjHuM5e", DATABASE_URL: created.url },
    },
  );
}

const problemsOf = (config: ServiceInitConfig): Promise<string> =>
  start(config).then(
    () => "started",
    (error: Error) => error.message,
  );

const read = (service: { readonly url: string }, at: string, headers: Record<string, string> = {}, method = "GET") =>
  fetch(`${service.url}/api/${at}`, { method, headers });

async function signIn(service: { readonly url: string }): Promise<{ bearer: string; cookie: string }> {
  const send = (at: string) =>
    fetch(`${service.url}/api/auth/${at}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ username: "ada", password }),
    });
  expect((await send("signup")).status).toBe(201);
  const response = await send("login");
  const { accessToken } = (await response.json()) as { accessToken: string };
  return { bearer: `Bearer ${accessToken}`, cookie: `access_token=${accessToken}` };
}

beforeAll(async () => {
  const schema = path.join(import.meta.dirname, "../../../../packages/service/test/fixtures/webhooks/schema.prisma");
  created = await createPushedDatabase(inject("postgresUrl"), schema);
});
beforeEach(async () => {
  client = undefined as never;
});
afterEach(closeAll);
afterAll(() => created?.drop());

async function seed(): Promise<void> {
  await client.$executeRawUnsafe(emptyTables("User", "Firm", "Order", "Change"));
  await client.firm.createMany({ data: [1, 2, 3].map((id) => ({ id, name: `Firm ${id}` })) });
}

describe("C124 caching of reads", () => {
  it("successful reads of a public model have Cache-Control and Vary, also 304 and HEAD", async () => {
    const service = await start();
    await seed();
    for (const at of ["firms", "firms/1", "firms/aggregate?groupBy=name", "firms?name__contains=1&sort=-name"]) {
      const response = await read(service, at);
      expect([at, response.status, response.headers.get("cache-control")]).toEqual([at, 200, fresh]);
      expect(response.headers.get("vary")).toContain("Authorization, Cookie");
      expect(response.headers.get("vary")).toContain("Accept-Encoding");
      const known = { "if-none-match": response.headers.get("etag") ?? "" };
      const again = await read(service, at, known);
      expect([again.status, again.headers.get("cache-control")]).toEqual([304, fresh]);
      expect(again.headers.get("vary")).toContain("Authorization, Cookie");
      const head = await read(service, at, {}, "HEAD");
      expect([head.status, head.headers.get("cache-control")]).toEqual([200, fresh]);
    }
    const plain = await read(service, "firms", { "accept-encoding": "identity", range: "bytes=0-10" });
    expect([plain.status, plain.headers.get("cache-control")]).toEqual([200, fresh]);
    expect(plain.headers.get("vary")).toContain("Accept");
    expect(await plain.json()).toMatchObject({ meta: { total: 3 } });
  });

  it("responses that depend on the caller, errors and writes are not cached", async () => {
    const service = await start();
    await seed();
    const { bearer, cookie } = await signIn(service);
    const headerOf = async (at: string, headers: Record<string, string> = {}) => {
      const response = await read(service, at, headers);
      return [response.status, response.headers.get("cache-control")];
    };
    expect(await headerOf("firms", { authorization: bearer })).toEqual([200, personal]);
    expect(await headerOf("firms", { cookie })).toEqual([200, personal]);
    // The rows of orders have a rule.
    expect(await headerOf("firms?include=orders")).toEqual([200, personal]);
    expect(await headerOf("firms/1?%69nclude=%6Frders")).toEqual([200, personal]);
    expect(await headerOf("firms?orders__some__title=a")).toEqual([200, personal]);
    expect(await headerOf("firms/aggregate?count=true&orders__some__title=a")).toEqual([200, personal]);
    // The name of the relation as a value.
    expect(await headerOf("firms?name=orders")).toEqual([200, fresh]);
    expect(await headerOf("firms/99")).toEqual([404, null]);
    expect(await headerOf("firms?nonsense=1")).toEqual([400, null]);
    expect(await headerOf("firms", { "if-match": '"other"' })).toEqual([412, null]);
    // A stale cookie leaves the request anonymous.
    expect(await headerOf("firms", { cookie: "access_token=nonsense" })).toEqual([200, fresh]);
    const written = await fetch(`${service.url}/api/firms`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"id":4,"name":"New"}',
    });
    expect([written.status, written.headers.get("cache-control")]).toEqual([201, null]);
  });

  it("without authentication an Authorization header and a cookie of the response prevent caching", async () => {
    const service = await start({
      authentication: undefined as never,
      models: { Firm: { cache: { maxAge: 5, public: true } }, Order: {}, User: {}, Webhook: configured.Webhook ?? {} },
      middlewares: {
        cors: { allowedOrigins: ["https://one.example", "https://two.example"] },
        additional: [
          (request, response, next) => {
            if (request.url.includes("visit")) response.cookie("visit", "1");
            next();
          },
        ],
      },
    });
    await seed();
    const headerOf = async (at: string, headers: Record<string, string> = {}) =>
      (await read(service, at, headers)).headers.get("cache-control");
    expect(await headerOf("firms")).toBe("public, max-age=5");
    expect(await headerOf("firms", { authorization: "Basic eA==" })).toBe(personal);
    expect(await headerOf("firms?name=visit")).toBe(personal);
    const vary = async (headers: Record<string, string>) => (await read(service, "firms", headers)).headers.get("vary");
    expect(await vary({})).toContain("Origin");
    expect(await vary({ origin: "https://one.example" })).toContain("Origin");
  });

  it("without public only browsers store responses, and a header of a hook remains", async () => {
    const service = await start({
      models: {
        ...configured,
        Firm: {
          auth: open,
          cache: { maxAge: 5 },
          hooks: {
            afterFindOne: (_request, response, next) => next(void response.setHeader("Cache-Control", "no-store")),
          },
        },
      },
    });
    await seed();
    expect((await read(service, "firms")).headers.get("cache-control")).toBe("private, max-age=5");
    expect((await read(service, "firms/1")).headers.get("cache-control")).toBe("no-store");
  });

  it("a configuration that would cache what depends on the caller prevents startup", async () => {
    const withFirm = (firm: object) => ({ models: { ...configured, Firm: { cache, ...firm } } });
    expect(await problemsOf(withFirm({ auth: { findOne: false } }))).toContain(
      "models.Firm.cache: findMany requires an authenticated caller. Open it with auth: { findMany: false }, or remove this key.",
    );
    expect(await problemsOf(withFirm({ auth: { ...open, where: () => ({ id: 1 }) } }))).toContain(
      "The rows of findMany depend on the caller. Remove this key, or the row rule.",
    );
    expect(await problemsOf(withFirm({ auth: { ...open, fields: { "*": ["id"] } } }))).toContain(
      "The fields of Firm depend on the caller. Remove this key, or auth.fields.",
    );
    expect(await problemsOf(withFirm({ auth: open, operations: { read: false } }))).toContain("No read is enabled.");
    expect(await problemsOf(withFirm({ auth: open, cache: { maxAge: -1 } }))).toContain("models.Firm.cache.maxAge");
    const tenant = { field: "firmId", of: () => 1, shared: ["Change"] };
    expect(await problemsOf({ ...withFirm({ auth: open }), tenant })).toContain(
      "models.Firm.cache: The rows of findMany",
    );
    expect(await problemsOf({ ...withFirm({ auth: open }), cache: { purge: () => undefined } })).toContain(
      "cache: No model has public responses and recorded changes.",
    );
  });
});

describe("C124 surrogate keys", () => {
  it("name the model of a list and the row of a read, and purge receives them after each commit, again if it fails", async () => {
    const purged: string[] = [];
    let failures = 1;
    const service = await start({
      cache: {
        purge: async (keys) => {
          if (failures-- > 0) throw new Error("The CDN is down.");
          purged.push(keys.join(" "));
        },
      },
      models: { ...configured, Order: { auth: open, changes: true } },
    });
    await seed();
    const keysOf = async (at: string, headers = {}) => (await read(service, at, headers)).headers.get("surrogate-key");
    expect(await keysOf("firms")).toBe("firm");
    expect(await keysOf("firms/1")).toBe("firm/1");
    expect(await keysOf("firms/1?include=orders")).toBe("firm/1 order");
    expect(await keysOf("firms/aggregate?groupBy=name")).toBe("firm");
    expect(await keysOf("firms/99")).toBeNull();
    expect(await keysOf("firms", { authorization: "Basic eA==" })).toBeNull();
    const changed = await fetch(`${service.url}/api/firms/2`, {
      method: "PATCH",
      headers: { "content-type": "application/json" },
      body: '{"name":"Changed"}',
    });
    expect(changed.status).toBe(200);
    await expect.poll(() => purged, { timeout: 120_000 }).toEqual(["firm firm/2"]);
  }, 150_000);
});

describe.skipIf(!hasNginx)("C124 with a shared cache", () => {
  let shared: SharedCache;
  afterEach(() => shared?.close());

  it("serves a cached response to others, and never that of a caller", async () => {
    const service = await start();
    await seed();
    shared = await startSharedCache(service.url);
    const { bearer, cookie } = await signIn(service);
    const call = async (at: string, headers: Record<string, string> = {}) => {
      const response = await read(shared, at, headers);
      return { cached: response.headers.get("x-cache"), status: response.status, body: await response.json() };
    };
    const first = await call("firms");
    expect([first.cached, first.status]).toEqual(["MISS", 200]);
    await client.firm.update({ where: { id: 1 }, data: { name: "Changed behind the cache" } });
    expect(await call("firms")).toEqual({ ...first, cached: "HIT" });
    // A caller gets an own response, which no other request gets.
    for (const headers of [{ authorization: bearer }, { cookie }]) {
      for (const attempt of [1, 2]) {
        const own = await call("firms?sort=name", headers as Record<string, string>);
        expect([attempt, own.cached, own.status]).toEqual([attempt, "MISS", 200]);
      }
    }
    expect((await call("firms?sort=name")).cached).toBe("MISS");
    expect((await call("firms?sort=name")).cached).toBe("HIT");
    for (const at of ["firms?include=orders", "firms/99", "firms?nonsense=1", "users/1"]) {
      for (const attempt of [1, 2]) expect([at, attempt, (await call(at)).cached]).toEqual([at, attempt, "MISS"]);
    }
    expect((await call("users/1", { authorization: bearer })).status).toBe(200);
    expect((await call("users/1")).status).toBe(401);
  });

  it("serves each coding and each origin its own response", async () => {
    const service = await start({
      middlewares: {
        rateLimit: { limit: 1_000_000 },
        compression: { threshold: 0 },
        cors: { allowedOrigins: ["https://one.example", "https://two.example"] },
      },
    });
    await seed();
    shared = await startSharedCache(service.url);
    const variants: readonly Record<string, string>[] = [
      { "accept-encoding": "identity" },
      { "accept-encoding": "gzip" },
      { "accept-encoding": "br", origin: "https://one.example" },
      { "accept-encoding": "br", origin: "https://two.example" },
    ];
    for (const cached of ["MISS", "HIT"]) {
      for (const headers of variants) {
        const response = await read(shared, "firms", headers);
        const { "accept-encoding": coding, origin } = headers;
        expect({
          cached: response.headers.get("x-cache"),
          coding: response.headers.get("content-encoding") ?? "identity",
          origin: response.headers.get("access-control-allow-origin") ?? undefined,
        }).toEqual({ cached, coding, origin });
        expect(await response.json()).toMatchObject({ meta: { total: 3 } });
      }
    }
  });
});
