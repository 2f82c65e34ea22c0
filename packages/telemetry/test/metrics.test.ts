import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { HttpError } from "@servicekit/core";
import { makeApp, makeValidationStep, mountRoutes } from "@servicekit/router";
import express from "express";
import { afterEach, describe, expect, it } from "vitest";
import { type Metrics, type MetricsContext, openMetrics } from "../src/index.js";

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const act of cleanUp.splice(0).reverse()) await act();
});

async function listen(server: http.Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanUp.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function open(context: MetricsContext = {}): Promise<Metrics> {
  const metrics = await openMetrics({ port: 0 }, context);
  cleanUp.push(metrics.release);
  return metrics;
}

/** The samples of the page whose name begins so. */
const samples = async ({ text }: Metrics, name: string): Promise<string[]> =>
  (await text()).split("\n").filter((line) => line.startsWith(name));

describe("C69 metrics that are read when the page is requested", () => {
  it("C69 contain the states of the pool, of password hashing and of Redis", async () => {
    let isUp = true;
    const metrics = await open({
      poolState: () => ({ size: 7, used: 2, idle: 3, waiting: 4 }),
      passwords: () => ({ running: 5, waiting: 6 }),
      isRedisUp: () => isUp,
      replicas: () => [{ name: "one:5432/shop", isInRotation: false, lagMs: 1_500 }],
    });
    expect(await samples(metrics, "database_replica")).toEqual([
      'database_replica_lag_seconds{replica="one:5432/shop"} 1.5',
      'database_replica_in_rotation{replica="one:5432/shop"} 0',
    ]);
    const pool = await samples(metrics, "database_pool_connections{");
    expect(pool.map((line) => Number(line.split(" ")[1]))).toEqual([2, 3, 7]);
    expect(pool.slice(0, 2).join()).toMatch(/state="used".*state="idle"/);
    expect(await samples(metrics, "database_pool_waiting ")).toEqual(["database_pool_waiting 4"]);
    const passwords = (await samples(metrics, "password")).map((line) => line.replace(/^\w+/, ""));
    expect(passwords).toEqual(['{state="running"} 5', '{state="waiting"} 6']);
    expect(await samples(metrics, "redis_up ")).toEqual(["redis_up 1"]);
    isUp = false;
    expect(await samples(metrics, "redis_up ")).toEqual(["redis_up 0"]);
  });

  it("C69 leave out what the service does not have", async () => {
    const text = await (await open()).text();
    expect(text).not.toMatch(/database_pool|database_replica|password|redis_up/);
    expect(text).toContain("http_requests_running 0");
    expect(text).toContain("process_cpu_seconds_total");
  });

  it("C115 contain the lag of each consumer, read once for both metrics, and the open event streams", async () => {
    let reads = 0;
    let isDown = false;
    const metrics = await open({
      consumerLags: async () => {
        reads++;
        if (isDown) throw new Error("no database");
        return [
          { consumer: "order.events", changes: 3, seconds: 1.5 },
          { consumer: "webhooks", changes: 0, seconds: 0 },
        ];
      },
      eventStreams: () => 4,
    });
    expect(reads).toBe(0);
    expect((await samples(metrics, "change_lag")).sort()).toEqual([
      'change_lag_seconds{consumer="order.events"} 1.5',
      'change_lag_seconds{consumer="webhooks"} 0',
      'change_lag{consumer="order.events"} 3',
      'change_lag{consumer="webhooks"} 0',
    ]);
    expect(reads).toBe(1);
    expect(await samples(metrics, "event_streams_open ")).toEqual(["event_streams_open 4"]);
    isDown = true;
    // A value of before would be wrong.
    expect(await samples(metrics, "change_lag")).toEqual([]);
    expect(await samples(metrics, "event_streams_open ")).toHaveLength(1);
  });

  it("C115 count deliveries and deactivated webhooks from 0, if there are webhooks", async () => {
    const metrics = await open({ hasWebhooks: true });
    expect(await samples(metrics, "webhook")).toEqual([
      'webhook_deliveries_total{outcome="delivered"} 0',
      'webhook_deliveries_total{outcome="failed"} 0',
      "webhooks_deactivated_total 0",
    ]);
    for (const outcome of ["delivered", "failed", "failed", "deactivated"] as const) metrics.countWebhook(outcome);
    expect((await samples(metrics, "webhook")).map((line) => line.split(" ")[1])).toEqual(["1", "2", "1"]);
    const without = await open();
    without.countWebhook("failed");
    expect(await samples(without, "webhook")).toEqual([]);
  });

  it("C69 count each request that load shedding rejected once", async () => {
    const metrics = await open();
    const name = 'http_requests_refused_total{code="Overloaded"}';
    expect(await samples(metrics, name)).toEqual([]);
    metrics.countRejection("Overloaded");
    metrics.countRejection("Overloaded");
    expect(await samples(metrics, name)).toEqual([`${name} 2`]);
    expect(await samples(metrics, name)).toEqual([`${name} 2`]);
  });
});

describe("C69 metrics of requests", () => {
  async function serve() {
    const metrics = await open({ routeOf: (request) => request.route?.path });
    const app = express();
    app.use(...metrics.handlers);
    app.get("/status/:status", ({ params }) => {
      throw new HttpError(Number(params.status), `Code${params.status}`, "No.");
    });
    app.get("/broken", () => {
      throw Object.assign(new Error("No."), { status: 413 });
    });
    const stored: http.ServerResponse[] = [];
    app.get("/held", (_request, response) => void stored.push(response));
    app.use(...metrics.errorHandlers);
    app.use(((_error, _request, response, _next) => void response.status(500).end()) as express.ErrorRequestHandler);
    return { metrics, stored, url: await listen(http.createServer(app)) };
  }

  it("C69 count the rejections of limits by their code, and no other error", async () => {
    const { metrics, url } = await serve();
    for (const status of [400, 413, 429, 500, 503, 503]) await (await fetch(`${url}/status/${status}`)).text();
    await (await fetch(`${url}/broken`)).text();
    expect((await samples(metrics, "http_requests_refused_total{")).sort()).toEqual([
      'http_requests_refused_total{code="Code413"} 1',
      'http_requests_refused_total{code="Code429"} 1',
      'http_requests_refused_total{code="Code503"} 2',
    ]);
  });

  it("C69 count running requests, and as 499 those whose client has disconnected", async () => {
    const { metrics, stored, url } = await serve();
    const gone = new AbortController();
    const aborted = fetch(`${url}/held`, { signal: gone.signal }).catch(() => undefined);
    const responded = fetch(`${url}/held`);
    await expect.poll(() => stored.length).toBe(2);
    expect(await samples(metrics, "http_requests_running ")).toEqual(["http_requests_running 2"]);
    gone.abort();
    await aborted;
    await expect.poll(() => samples(metrics, "http_requests_running ")).toEqual(["http_requests_running 1"]);
    for (const response of stored) response.end();
    await (await responded).text();
    await expect.poll(() => samples(metrics, "http_requests_running ")).toEqual(["http_requests_running 0"]);
    const counts = (await samples(metrics, "http_request_duration_seconds_count{")).sort();
    expect(counts.map((line) => line.replace(/.*status=/, ""))).toEqual(['"200"} 1', '"499"} 1']);
  });
});

describe("C69 the page of metrics", () => {
  it("C69 at a separate port is only /metrics, and only for GET", async () => {
    const metrics = await open();
    expect(metrics.routers).toEqual([]);
    const url = await listen(metrics.server as http.Server);
    const page = await fetch(`${url}/metrics?x=1`);
    expect([page.status, page.headers.get("content-type"), page.headers.get("cache-control")]).toEqual([
      ...[200, metrics.contentType, "no-store"],
    ]);
    expect(await page.text()).toContain("http_requests_running");
    const post = await fetch(`${url}/metrics`, { method: "POST" });
    expect([post.status, post.headers.get("allow")]).toEqual([405, "GET"]);
    expect((await fetch(`${url}/other`)).status).toBe(404);
  });

  it("C69 is 500 while the metrics cannot be read", async () => {
    const failing = {
      poolState: () => {
        throw new Error("gone");
      },
    };
    const metrics = await open(failing);
    const url = await listen(metrics.server as http.Server);
    expect((await fetch(`${url}/metrics`)).status).toBe(500);
  });

  it("C69 at a path is a route of the service with its access rule", async () => {
    for (const authentication of [false, true]) {
      const metrics = await openMetrics({ path: "/internal/metrics", authentication });
      expect(metrics.server).toBeUndefined();
      const seen: unknown[] = [];
      const app = makeApp();
      mountRoutes(app, {
        global: [],
        route: [
          {
            key: "authentication",
            handlers: (value) => {
              seen.push(value);
              return [];
            },
          },
          makeValidationStep(),
        ],
        mount: () => app.use(...metrics.routers),
      });
      const url = await listen(http.createServer(app));
      const page = await fetch(`${url}/internal/metrics`);
      expect([page.status, page.headers.get("content-type"), page.headers.get("cache-control")]).toEqual([
        ...[200, metrics.contentType, "no-store"],
      ]);
      expect(await page.text()).toContain("http_requests_running");
      expect(seen.filter((value) => value !== undefined)).toEqual(authentication ? [true] : []);
    }
  });

  it("C78 of workers has the metrics of each of them", async () => {
    let own = async (): Promise<string> => "";
    const metrics = await open({
      workers: {
        report: (text) => {
          own = text;
        },
        gather: async () => [
          [1, await own()],
          [2, await own()],
        ],
      },
    });
    expect(await samples(metrics, "http_requests_running{")).toEqual([
      'http_requests_running{worker="1"} 0',
      'http_requests_running{worker="2"} 0',
    ]);
  });
});
