import { request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { createPushedDatabase } from "../../../scripts/test/template-database.js";
import { type RunningService, ServiceRouter, sendJson } from "../src/index.js";
import { PrismaClient as GalleryClient } from "./generated/gallery/client/client.js";
import { models as galleryModels } from "./generated/gallery/models.js";
import { PrismaClient } from "./generated/notes/client/client.js";
import { models } from "./generated/notes/models.js";
import { makeStarter } from "./start.js";

const { init, create, logged, closeAll } = makeStarter();
let databaseUrl = "";
let dropDatabase: () => Promise<void>;
beforeAll(async () => {
  const created = await createPushedDatabase(inject("postgresUrl"), path.join(import.meta.dirname, "fixtures/notes"));
  databaseUrl = created.url;
  dropDatabase = () => created.drop();
});
afterEach(closeAll);
afterAll(() => dropDatabase());

const stored: (() => void)[] = [];
const own = ServiceRouter();
/** Uses a connection of the pool until it is released. */
own.get({ path: "/transactions", queryParser: false }, async (req, res) => {
  await req.app.locals.database.transaction(
    async (database: { of(model: string): { count(args: object): Promise<number> } }) => {
      await database.of(new URL(req.url, "http://service").searchParams.get("model") ?? "Note").count({});
      await new Promise<void>((resolve) => stored.push(resolve));
    },
  );
  sendJson(res, 200, {});
});
own.post({ path: "/echo", validation: { body: false } }, (req, res) => sendJson(res, 200, req.body));

const poolSize = 2;
const start = (more: object = {}): Promise<RunningService> =>
  init(
    {
      database: { models, client: ({ adapter }) => new PrismaClient({ adapter }), poolSize },
      use: [own],
      timeouts: { poolWait: 60_000, request: 60_000 },
      middlewares: { rateLimit: false, cors: { allowedOrigins: ["https://page.example"] } },
      ...more,
    },
    { environment: { NODE_ENV: "test", DATABASE_URL: databaseUrl } },
  );

const statusOf = async (url: string, given?: RequestInit): Promise<number> => {
  const response = await fetch(url, given);
  await response.arrayBuffer();
  return response.status;
};

/**
 * Sends transactions that use all connections of the pool or wait for one, until one is rejected for the load: on a
 * busy machine the first may end before that, by their own time limit.
 */
async function overload(url: string, model = "Note"): Promise<{ readonly end: () => Promise<readonly number[]> }> {
  const statuses: number[] = [];
  const running: Promise<unknown>[] = [];
  let isRejected = false;
  const send = async (): Promise<void> => {
    const response = await fetch(`${url}/transactions?model=${model}`);
    isRejected ||= ((await response.json()) as { code?: string }).code === "Overloaded";
    statuses.push(response.status);
  };
  await expect
    .poll(
      () => {
        running.push(send());
        return isRejected;
      },
      { timeout: 60_000 },
    )
    .toBe(true);
  return {
    end: async () => {
      await expect
        .poll(() => {
          for (const letGo of stored.splice(0)) letGo();
          return statuses.length;
        })
        .toBe(running.length);
      return statuses;
    },
  };
}

/** The tested part of a document. */
interface Document {
  readonly paths?: Record<
    string,
    { readonly get: { readonly responses: { readonly default: { readonly $ref: string } } } }
  >;
  readonly components?: { readonly responses?: Record<string, unknown>; readonly schemas?: Record<string, unknown> };
}

describe("load shedding", () => {
  it("C70 immediately rejects requests that would wait too long, serves probes, and serves everything again afterwards", async () => {
    const { url } = await start({ loadShedding: { maxWait: 1 } });
    const began = performance.now();
    expect(await statusOf(`${url}/api/notes`)).toBe(200);
    const { end } = await overload(url);

    const rejected = await fetch(`${url}/api/notes?sort=id`);
    expect(rejected.status).toBe(503);
    expect(Object.fromEntries(rejected.headers)).toMatchObject({
      "content-type": "application/problem+json",
      "retry-after": "2",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    });
    expect(rejected.headers.get("access-control-allow-origin")).toBe(null);
    expect(await rejected.json()).toEqual({
      type: expect.stringContaining("#overloaded"),
      title: "Service Unavailable",
      status: 503,
      detail: "The service is temporarily unavailable.",
      instance: "/api/notes",
      code: "Overloaded",
    });
    expect(await statusOf(`${url}/api/health/live`)).toBe(200);
    expect(await statusOf(`${url}/api/health/ready`)).toBe(200);

    const statuses = await end();
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(poolSize);
    expect([...new Set(statuses)].sort()).toEqual([200, 503]);
    await expect.poll(() => statusOf(`${url}/api/notes`)).toBe(200);
    expect(await statusOf(`${url}/api/notes`)).toBe(200);
    const reported = logged().filter(({ msg }) => String(msg).startsWith("overloaded"));
    expect(reported[0]).toMatchObject({ level: 40, rejected: expect.any(Number), maxWait: 1 });
    // One line in ten seconds, not one per rejection.
    expect(reported.length).toBeLessThanOrEqual(1 + Math.floor((performance.now() - began) / 10_000));
    expect(logged().some(({ status }) => status === 503)).toBe(false);
  });

  it("C70 serves sign-ins that wait for the database like all accepted requests", async () => {
    const gallery = path.join(import.meta.dirname, "fixtures/gallery");
    const created = await createPushedDatabase(inject("postgresUrl"), gallery);
    try {
      const { url, close } = await init(
        {
          database: {
            models: galleryModels,
            client: ({ adapter }) => new GalleryClient({ adapter }),
            poolSize,
          },
          authentication: { mode: "static", jwt: { secret: "a".repeat(20) + "overload".repeat(5) } },
          use: [own],
          timeouts: { poolWait: 60_000, request: 60_000 },
          middlewares: { rateLimit: false },
          loadShedding: { maxWait: 1 },
        },
        { environment: { NODE_ENV: "test", DATABASE_URL: created.url } },
      );
      const headers = { "content-type": "application/json" };
      const body = JSON.stringify({ username: "ada", password: "a pine by the harbour" });
      expect(await statusOf(`${url}/api/auth/signup`, { method: "POST", headers, body })).toBe(201);
      const { end } = await overload(url, "Album");
      expect(await statusOf(`${url}/api/auth/me`)).toBe(503);
      const login = statusOf(`${url}/api/auth/login`, { method: "POST", headers, body });
      await end();
      expect(await login).toBe(200);
      await close();
    } finally {
      await created.drop();
    }
  });

  it("C70 lets a page of another origin read the rejection", async () => {
    const { url } = await start({ loadShedding: { maxWait: 1 } });
    const { end } = await overload(url);
    const headers = { origin: "https://page.example" };
    const rejected = await fetch(`${url}/api/notes`, { headers });
    expect([rejected.status, rejected.headers.get("access-control-allow-origin")]).toEqual([503, headers.origin]);
    await rejected.arrayBuffer();
    const preflight = { method: "OPTIONS", headers: { ...headers, "access-control-request-method": "POST" } };
    expect(await statusOf(`${url}/api/notes`, preflight)).toBe(204);
    await end();
  });

  it("C70 sends the rejection to a client with a body, and keeps the connection", async () => {
    const { url } = await start({ loadShedding: { maxWait: 1 } });
    const { end } = await overload(url);
    const sent = await new Promise<{ status: number | undefined; connection: string | undefined }>(
      (resolve, reject) => {
        const requested = request(
          `${url}/echo`,
          { method: "POST", headers: { "content-length": 40_000 } },
          (response) => {
            response.resume();
            response.once("end", () =>
              resolve({ status: response.statusCode, connection: response.headers.connection }),
            );
          },
        );
        requested.once("error", reject);
        requested.write("x".repeat(10_000));
        requested.end("x".repeat(30_000));
      },
    );
    expect(sent.status).toBe(503);
    expect(sent.connection).toBe("keep-alive");
    await end();
  });

  it("C70 counts its rejections in the metrics", async () => {
    const { url } = await start({ loadShedding: { maxWait: 1 }, metrics: { path: "/metrics", auth: false } });
    const { end } = await overload(url);
    const text = await (await fetch(`${url}/metrics`)).text();
    expect(Number(/http_requests_refused_total\{code="Overloaded"\} (\d+)/.exec(text)?.[1])).toBeGreaterThan(0);
    await end();
  });

  it("C70 is off by default, and when configured", async () => {
    for (const loadShedding of [undefined, { enabled: false }]) {
      const { url } = await start(loadShedding === undefined ? {} : { loadShedding });
      const running = Array.from({ length: poolSize + 2 }, () => statusOf(`${url}/transactions`));
      await expect.poll(() => stored.length).toBe(poolSize);
      for (let at = 0; at < 10; at++) {
        expect(await statusOf(`${url}/api`)).toBe(200);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      let ended = 0;
      for (const one of running) void one.finally(() => ended++);
      await expect
        .poll(() => {
          for (const letGo of stored.splice(0)) letGo();
          return ended;
        })
        .toBe(running.length);
    }
  });

  it("C70 is documented if it is on, at the routes that can be rejected", async () => {
    const codesAt = async (config: object): Promise<Record<string, boolean>> => {
      const service = await create(
        {
          database: { models, client: ({ adapter }) => new PrismaClient({ adapter }) },
          ...config,
        },
        { environment: { NODE_ENV: "test", DATABASE_URL: databaseUrl } },
      );
      const { paths = {}, components = {} } = (await service.openapi()) as unknown as Document;
      const has = (at: string): boolean => {
        const name = paths[at]?.get.responses.default.$ref.split("/").at(-1) ?? "";
        const problem = JSON.stringify(components.responses?.[name]);
        return /Overloaded/.test(problem + JSON.stringify(components.schemas?.[name]));
      };
      return { notes: has("/api/notes"), live: has("/api/health/live") };
    };
    expect(await codesAt({ loadShedding: {} })).toEqual({ notes: true, live: false });
    expect(await codesAt({})).toEqual({ notes: false, live: false });
  });

  it.each([
    [{ maxWait: 0 }, "loadShedding.maxWait"],
    [{ maxwait: 5 }, "Did you mean"],
  ])("C70 %j prevents startup", async (loadShedding, reported) => {
    await expect(create({ loadShedding: loadShedding as object })).rejects.toThrow(reported);
  });

  it("C70 responds to queued requests when the service is closed", async () => {
    const slow = ServiceRouter();
    slow.get({ path: "/slow" }, (_request, response) => {
      const end = performance.now() + 10;
      while (performance.now() < end);
      sendJson(response, 200, {});
    });
    const running = await start({ use: [slow], loadShedding: { maxWait: 60_000 } });
    let isOver = false;
    const clients = Array.from({ length: 40 }, () => {
      const { port } = running.server.address() as AddressInfo;
      const socket = connect(port).setEncoding("latin1");
      const client = { sent: 0, responded: 0 };
      const send = (): void => {
        client.sent++;
        socket.write("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
      };
      socket
        .on("error", () => undefined)
        .on("data", (text: string) => {
          client.responded += text.split("HTTP/1.1 200").length - 1;
          if (!isOver && client.responded === client.sent) send();
        });
      send();
      return client;
    });
    // By then each is queued on a connection that is watched.
    await expect.poll(() => Math.min(...clients.map(({ responded }) => responded))).toBeGreaterThan(5);
    isOver = true;
    // Everything sent last is read before that.
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(clients.filter(({ sent, responded }) => sent > responded).length).toBeGreaterThan(20);
    await running.close();
    expect(clients.filter(({ sent, responded }) => sent > responded)).toEqual([]);
  });
});
