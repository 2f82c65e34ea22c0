import path from "node:path";
import { makePostgresAdapter } from "@servicekit/prisma/postgres";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { createPushedDatabase } from "../../../scripts/test/template-database.js";
import { type ServiceInitConfig, ServiceRouter } from "../src/index.js";
import type { RunningService } from "../src/init-service.js";
import { makeContext } from "../src/service-context.js";
import { PrismaClient } from "./generated/notes/client/client.js";
import { models } from "./generated/notes/models.js";
import { makeStarter } from "./start.js";

const { init, create, closeAll, logged } = makeStarter();
const contextOf = makeContext<PrismaClient>();
let created: Awaited<ReturnType<typeof createPushedDatabase>>;
beforeAll(async () => {
  created = await createPushedDatabase(inject("postgresUrl"), path.join(import.meta.dirname, "fixtures/notes"));
});
afterEach(closeAll);
afterAll(() => created?.drop());

/** Only for tests that hang. */
const until = <T>(check: () => T | Promise<T>) => vi.waitUntil(check, { timeout: 60_000, interval: 20 });

const unreachable = "postgresql://ann:secret@127.0.0.1:1/shop";
const router = ServiceRouter();
router.post({ path: "/large" }, (_request, response) => void response.json({ text: "text ".repeat(1_000) }));
router.post({ path: "/broken" }, (_request, response) => void response.status(409).json({}));
router.get({ path: "/texts" }, async (request, response) => {
  const { read } = contextOf(request);
  const rows = read.of("Note");
  const [{ ours }] = (await read.run((client) => client.$queryRawUnsafe("SELECT 1 AS ours"))) as [{ ours: number }];
  const byText = await read.run((client) => client.note.groupBy({ by: ["text"], _count: true }));
  const [first] = await rows.findMany({ orderBy: [{ id: "desc" }], take: 1 });
  const byId = await rows.findUnique({ where: { id: first?.id } });
  response.json({
    ...{ count: await rows.count(), text: byId?.text, methods: Object.keys(rows).sort() },
    ...{ ours, texts: byText.length },
  });
});

/** A client with the methods that the extension adds. */
const withReplicaExtension = (adapter: ConstructorParameters<typeof PrismaClient>[0]["adapter"] & object) =>
  new PrismaClient({ adapter }).$extends({
    client: {
      $primary() {
        return this;
      },
      $replica() {
        return this;
      },
    },
  });

const configured = (config: ServiceInitConfig = {}, database: object = {}): ServiceInitConfig => ({
  database: { models, client: ({ adapter }) => new PrismaClient({ adapter }), ...database },
  use: [router],
  ...config,
});
const environment = (own: Readonly<Record<string, string>> = {}) => ({
  environment: { NODE_ENV: "test", DATABASE_URL: created.url, ...own },
});
const start = (config?: ServiceInitConfig, replicas = unreachable): Promise<RunningService> =>
  init(configured(config), environment({ DATABASE_REPLICA_URLS: replicas }));
const call = (service: RunningService, method: string, at: string, headers: object = {}, body?: object) =>
  fetch(`${service.url}${at}`, {
    method,
    headers: { ...(body && { "content-type": "application/json" }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
const write = (service: RunningService, headers: object = {}) =>
  call(service, "POST", "/api/notes", headers, { text: "a note" });

describe("C121 a service with replicas", () => {
  it("starts while a replica is unreachable, logs it without its password, and reads from the primary", async () => {
    const service = await start();
    expect((await write(service)).status).toBe(201);
    expect(await (await call(service, "GET", "/texts")).json()).toEqual({
      count: expect.any(Number),
      text: "a note",
      methods: ["count", "findFirst", "findMany", "findUnique"],
      ...{ ours: 1, texts: 1 },
    });
    expect((await call(service, "GET", "/api/notes?count=false")).status).toBe(200);
    const warning = await until(() => logged().find(({ replica }) => replica !== undefined));
    expect(warning).toMatchObject({
      level: 40,
      replica: "127.0.0.1:1/shop",
      msg: expect.stringContaining("unavailable"),
    });
    expect(JSON.stringify(logged())).not.toContain("secret");
    const ready = await call(service, "GET", "/api/health/ready");
    expect(ready.status).toBe(200);
    expect(await ready.json()).toEqual({ status: "ready", checks: { database: "up", "replica 1": "down" } });
  });

  it("warns of a replica that is a primary, and does not read from it", async () => {
    const other = await createPushedDatabase(inject("postgresUrl"), path.join(import.meta.dirname, "fixtures/notes"));
    try {
      const service = await start({}, other.url);
      const { headers } = await write(service);
      await until(() => logged().some(({ msg }) => /accepts writes, so it is not read from/.test(String(msg))));
      const list = await call(service, "GET", "/api/notes", { "consistency-token": headers.get("consistency-token") });
      expect((await list.json()).meta.total).toBeGreaterThan(0);
    } finally {
      await closeAll();
      await other.drop();
    }
  });

  it("has metrics of each replica", async () => {
    const service = await start({ metrics: { path: "/metrics", auth: false } });
    const text = await (await call(service, "GET", "/metrics")).text();
    expect(text).toContain('database_replica_in_rotation{replica="127.0.0.1:1/shop"} 0');
    expect(text).toContain('database_replica_lag_seconds{replica="127.0.0.1:1/shop"} 0');
  });

  it.each<[string, ServiceInitConfig, Record<string, string>, RegExp]>([
    [
      "another protocol",
      configured(),
      { DATABASE_REPLICA_URLS: `${unreachable},mysql://ann:secret@one/shop` },
      /database\.replicas\.1 \(the environment variable DATABASE_REPLICA_URLS\): .*expected a URL such as postgresql/,
    ],
    [
      "no URL",
      configured({}, { replicas: ["replica"] }),
      {},
      /database\.replicas\.0 \(the init object\): .*expected a URL/,
    ],
    [
      "a client of its own",
      configured(
        {},
        { client: new PrismaClient({ adapter: makePostgresAdapter({ url: unreachable }) }), replicas: [unreachable] },
      ),
      {},
      /database\.replicas: requires PostgreSQL, and a database\.client that is a function/,
    ],
    [
      "Prisma's extension for replicas",
      configured({}, { client: ({ adapter }: { adapter: never }) => withReplicaExtension(adapter) }),
      {},
      /database\.client: has @prisma\/extension-read-replicas/,
    ],
    [
      "Prisma's extension for replicas in a client of its own",
      configured({}, { client: withReplicaExtension(makePostgresAdapter({ url: unreachable })) }),
      {},
      /database\.client: has @prisma\/extension-read-replicas/,
    ],
    [
      "a primary that may be read-only",
      configured(),
      { DATABASE_URL: "postgresql://ann:secret@one,two/shop?target_session_attrs=any" },
      /the environment variable DATABASE_URL: has target_session_attrs=any, but the service writes/,
    ],
  ])("does not start with %s, and names the place", async (_name, config, variables, message) => {
    const error = await create(config, environment(variables)).catch((caught: unknown) => String(caught));
    expect(error).toMatch(message);
    expect(error).not.toContain("secret");
  });
});

describe("C122 the token of a response to a write", () => {
  it("is a header and an HttpOnly cookie, which other responses lack", async () => {
    const service = await start();
    const { headers } = await write(service);
    expect(headers.get("consistency-token")).toMatch(/^[\w-]{32}$/);
    expect(headers.get("set-cookie")).toBe(
      `consistency_token=${headers.get("consistency-token")}; Max-Age=35; Path=/; Expires=${/Expires=([^;]*)/.exec(headers.get("set-cookie") ?? "")?.[1]}; HttpOnly; SameSite=Lax`,
    );
    const large = await call(service, "POST", "/large");
    expect(large.headers.get("consistency-token")).not.toBeNull();
    expect(large.headers.get("content-encoding")).not.toBeNull();
    expect((await large.json()).text).toHaveLength(5_000);
    for (const [method, at] of [
      ["GET", "/api/notes"],
      ["HEAD", "/api/notes"],
      ["OPTIONS", "/api/notes"],
      ["POST", "/broken"],
      ["POST", "/api/unknown"],
    ] as const) {
      const response = await call(service, method, at);
      expect([response.headers.get("consistency-token"), response.headers.get("set-cookie")]).toEqual([null, null]);
    }
  });

  it("can be read by pages of other origins", async () => {
    const service = await start({ middlewares: { cors: { allowedOrigins: ["https://app.example"] } } });
    const { headers } = await write(service, { origin: "https://app.example" });
    expect(headers.get("access-control-expose-headers")?.split(",")).toContain("Consistency-Token");
    const preflight = await call(service, "OPTIONS", "/api/notes", {
      origin: "https://app.example",
      "access-control-request-method": "GET",
      "access-control-request-headers": "consistency-token",
    });
    expect(preflight.headers.get("access-control-allow-headers")).toContain("consistency-token");
  });

  it("causes no error if it is malformed or has a wrong signature", async () => {
    const service = await start();
    for (const token of ["", "x", "A".repeat(32), "A".repeat(4_000), "../..", "%00"])
      for (const headers of [
        { "consistency-token": token },
        { cookie: `consistency_token=${token}; consistency_token=x` },
      ])
        expect((await call(service, "GET", "/api/notes", headers)).status).toBe(200);
  });

  it("is not sent without replicas", async () => {
    const service = await init(configured({ middlewares: { cors: { allowedOrigins: ["*"] } } }), environment());
    const { status, headers } = await write(service, { origin: "https://app.example" });
    expect([status, headers.get("consistency-token"), headers.get("set-cookie")]).toEqual([201, null, null]);
    expect(headers.get("access-control-expose-headers")).not.toContain("Consistency-Token");
    expect((await (await call(service, "GET", "/texts")).json()).text).toBe("a note");
  });
});

describe("C123 several hosts of the primary", () => {
  it("use the one that accepts connections and writes", async () => {
    const { username, host, pathname } = new URL(created.url);
    const service = await init(
      configured(),
      environment({ DATABASE_URL: `postgresql://${username}@127.0.0.1:1,${host}${pathname}` }),
    );
    expect((await write(service)).status).toBe(201);
  });

  it("follow a primary that turns read-only, after 503 with Retry-After", async () => {
    const { username, host, pathname } = new URL(created.url);
    const service = await init(
      configured(),
      environment({ DATABASE_URL: `postgresql://${username}@${host}${pathname}?target_session_attrs=read-write` }),
    );
    const { default: pg } = await import("pg");
    const client = new pg.Client({ connectionString: created.url });
    await client.connect();
    const name = `"${pathname.slice(1)}"`;
    try {
      expect((await write(service)).status).toBe(201);
      await client.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
      // The setting applies to new sessions.
      await client.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
      );
      const refused = await until(async () => {
        const response = await write(service);
        return response.status === 503 && response;
      });
      expect(refused.headers.get("retry-after")).toBe("2");
      await client.query(`BEGIN READ WRITE; ALTER DATABASE ${name} RESET default_transaction_read_only; COMMIT`);
      await until(async () => (await write(service)).status === 201);
    } finally {
      await client.end();
    }
  });
});
