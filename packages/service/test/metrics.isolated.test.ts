import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { createPushedDatabase } from "../../../scripts/test/template-database.js";
import { type RunningService, ServiceRouter, sendJson } from "../src/index.js";
import { PrismaClient } from "./generated/notes/client/client.js";
import { models } from "./generated/notes/models.js";
import { makeStarter } from "./start.js";

const { init, create, closeAll } = makeStarter();
const cleanUp: (() => unknown)[] = [];
let databaseUrl = "";
beforeAll(async () => {
  const created = await createPushedDatabase(inject("postgresUrl"), path.join(import.meta.dirname, "fixtures/notes"));
  cleanUp.push(() => created.drop());
  databaseUrl = created.url;
});
afterEach(closeAll);
afterAll(async () => {
  for (const act of cleanUp.splice(0)) await act();
});

const own = ServiceRouter();
const stored: (() => void)[] = [];
own.get({ path: "/held" }, async (_req, res) => {
  await new Promise<void>((resolve) => stored.push(resolve));
  sendJson(res, 200, {});
});
own.get({ path: "/limited", rateLimit: { windowMs: 60_000, max: 1 } }, (_req, res) => sendJson(res, 200, {}));
/** Uses both connections of a small pool, and queues a third request. */
own.get({ path: "/transactions" }, async (req, res) => {
  await req.app.locals.database.transaction(
    async (database: { of(model: string): { count(args: object): Promise<number> } }) => {
      await database.of("Note").count({});
      await new Promise<void>((resolve) => stored.push(resolve));
    },
  );
  sendJson(res, 200, {});
});

const start = (metrics: object, more: object = {}): Promise<RunningService> =>
  init(
    { database: { models, client: ({ adapter }) => new PrismaClient({ adapter }) }, use: [own], metrics, ...more },
    { environment: { NODE_ENV: "test", DATABASE_URL: databaseUrl } },
  );

const metricsUrl = ({ metricsServer }: RunningService): string =>
  `http://127.0.0.1:${((metricsServer as Server).address() as AddressInfo).port}/metrics`;

/** The value of each line, by its name and labels. */
async function measurements(url: string): Promise<ReadonlyMap<string, number>> {
  const response = await fetch(url);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  const lines = (await response.text()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))]),
  );
}

const countOf = (found: ReadonlyMap<string, number>, method: string, route: string, status: number) =>
  found.get(`http_request_duration_seconds_count{method="${method}",route="${route}",status="${status}"}`);

describe("metrics at a port", () => {
  it("C69 count requests by route pattern and status, and rejections by limits, and end with the service", async () => {
    const service = await start({ port: 0 });
    const { url } = service;
    const at = metricsUrl(service);
    const json = { "content-type": "application/json" };
    const made = await fetch(`${url}/api/notes`, { method: "POST", headers: json, body: '{"text":"a"}' });
    const { data } = (await made.json()) as { data: { id: number } };
    for (const suffix of ["", "", "/9999999", `/${data.id}`])
      await (await fetch(`${url}/api/notes${suffix}`)).arrayBuffer();
    for (let i = 0; i < 3; i++) await (await fetch(`${url}/limited`)).arrayBuffer();
    await (await fetch(`${url}/no/such/path/${Math.random()}`)).arrayBuffer();
    await (await fetch(`${url}/api/notes`, { method: "PROPFIND" })).arrayBuffer();
    await expect.poll(async () => countOf(await measurements(at), "other", "(no route)", 405)).toBe(1);
    const found = await measurements(at);
    expect(countOf(found, "POST", "/api/notes", 201)).toBe(1);
    expect(countOf(found, "GET", "/api/notes", 200)).toBe(2);
    expect(countOf(found, "GET", "/api/notes/:id", 200)).toBe(1);
    expect(countOf(found, "GET", "/api/notes/:id", 404)).toBe(1);
    expect(countOf(found, "GET", "(no route)", 404)).toBe(1);
    expect(found.get('http_requests_refused_total{code="TooManyRequests"}')).toBe(2);
    expect(found.get("nodejs_heap_size_used_bytes")).toBeGreaterThan(1_000_000);
    expect(found.has("nodejs_eventloop_lag_p99_seconds")).toBe(true);
    // Features that the service does not use.
    expect([...found.keys()].filter((name) => /^(redis|password)/.test(name))).toEqual([]);
    // The separate port serves only metrics, and the service does not have this path.
    expect((await fetch(at.replace("/metrics", "/api/notes"))).status).toBe(404);
    expect((await fetch(`${url}/metrics`)).status).toBe(404);
    await service.close();
    await expect(fetch(at)).rejects.toThrow();
  });

  it("C69 contain the running requests, and those that use or wait for a connection", async () => {
    const service = await start({ port: 0 }, { timeouts: { poolWait: 60_000 } });
    const at = metricsUrl(service);
    const size = (await measurements(at)).get('database_pool_connections{state="max"}') ?? 0;
    expect(size).toBeGreaterThan(0);
    const requests = Array.from({ length: size + 2 }, () => fetch(`${service.url}/transactions`));
    await expect.poll(async () => (await measurements(at)).get("database_pool_waiting")).toBe(2);
    const found = await measurements(at);
    expect(found.get("http_requests_running")).toBe(size + 2);
    expect(found.get('database_pool_connections{state="used"}')).toBe(size);
    let ended = 0;
    for (const request of requests) request.then(() => ended++);
    await expect
      .poll(() => {
        for (const letGo of stored.splice(0)) letGo();
        return ended;
      })
      .toBe(size + 2);
    await expect.poll(async () => (await measurements(at)).get("http_requests_running")).toBe(0);
    expect((await measurements(at)).get('database_pool_connections{state="used"}')).toBe(0);
  });

  it("C69 a port in use prevents startup", async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", () => resolve()));
    cleanUp.push(() => taken.close());
    const { port } = taken.address() as AddressInfo;
    await expect(init({ metrics: { port } })).rejects.toThrow(`127.0.0.1:${port}: Cannot listen`);
  });
});

describe("metrics at a path", () => {
  it("C69 are for the configured callers", async () => {
    const { url } = await init({ metrics: { path: "/own-metrics", auth: false } });
    await (await fetch(`${url}/api`)).arrayBuffer();
    await expect.poll(async () => countOf(await measurements(`${url}/own-metrics`), "GET", "/api", 200)).toBe(1);
    expect((await fetch(`${url}/metrics`)).status).toBe(404);
  });

  it.each([
    [{}, "Set where the metrics are served"],
    [{ port: 9100, path: "/metrics", auth: false }, "Set where the metrics are served"],
    [{ path: "/metrics" }, "set who may read"],
    [{ port: 9100, auth: true }, "applies to metrics.path only"],
    [{ path: "metrics", auth: false }, "a path such as /metrics"],
    [{ prot: 9100 }, "Did you mean"],
  ])("C69 %j prevents startup", async (metrics, reported) => {
    await expect(create({ metrics: metrics as object })).rejects.toThrow(reported);
  });

  it("C69 access rules without authentication prevent startup", async () => {
    await expect(create({ metrics: { path: "/metrics", auth: true } })).rejects.toThrow("authentication");
  });
});
