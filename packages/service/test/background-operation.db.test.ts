import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { RunningService } from "../src/init-service.js";
import { readEvents } from "./event-reader.js";
import { every, makeWebhookServices } from "./serve-webhooks.js";

const { createDatabase, dropDatabase, receiverOf, start, clear, query } = makeWebhookServices();
beforeAll(createDatabase);
afterEach(async () => {
  await clear();
  await query('DROP SCHEMA IF EXISTS servicekit_jobs CASCADE; DELETE FROM "Change"');
});
afterAll(dropDatabase);

const until = (check: () => unknown) => vi.waitFor(check, { timeout: 60_000, interval: 50 });
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const models = { Order: { auth: { all: true }, changes: { events: true } }, Webhook: { auth: { all: ["ADMIN"] } } };

/** The values of metrics by their names and labels. */
async function measure({ metricsServer }: RunningService): Promise<ReadonlyMap<string, number>> {
  const { port } = (metricsServer as Server).address() as AddressInfo;
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(lines.map((line) => [line.replace(/ [^ ]*$/, ""), Number(line.split(" ").at(-1))]));
}

/** The configuration without the block. */
const off = undefined as never;
const options = { models, webhooks: { allow: ["127.0.0.1"] } };

/** Starts a service, with a superuser, and a webhook whose only message fails for good. */
async function startWithFailure() {
  const gone = await receiverOf((response) => response.writeHead(410).end("moved"));
  const { service, as, asSuperUser } = await start(options);
  const operator = await asSuperUser();
  const { id } = (await operator("POST", "webhooks", { url: gone.url, events: every })).body.data as { id: string };
  await operator("POST", "orders", { title: "one" });
  const failed = "job-queues/webhooks/failed";
  await until(async () => expect((await operator("GET", failed)).body.data).toHaveLength(1));
  return { service, as, operator, id, failed, gone };
}

const idle = { queued: 0, active: 0, retrying: 0, failed: 0 };
/** The queue of changes that could not be handed over. */
const setAside = "changes.set-aside";

describe("C115 the health details", () => {
  it("contain the queues, the reader and the consumers of changes, and the deactivated webhooks", async () => {
    const { service, operator, id, gone } = await startWithFailure();
    const stream = await readEvents(`${service.url}/api/orders/events`);
    expect(stream.status).toBe(401);
    await until(async () => {
      const { status, body } = await operator("GET", "health/details");
      expect([status, body.data]).toEqual([
        200,
        {
          jobs: {
            isRunning: true,
            queues: [
              { name: "webhooks", ...idle, failed: 1 },
              { name: setAside, ...idle },
            ],
          },
          changes: {
            reader: "listening",
            streams: 0,
            consumers: [{ consumer: "webhooks", changes: 0, seconds: 0 }],
          },
          webhooks: {
            active: 0,
            failing: 0,
            deactivated: [
              {
                ...{ id, url: gone.url, failingSince: null },
                disabledReason: "The endpoint responded with 410 Gone.",
              },
            ],
          },
        },
      ]);
    });
    await query("ALTER SCHEMA servicekit_jobs RENAME TO elsewhere");
    const { body } = await operator("GET", "health/details");
    await query("ALTER SCHEMA elsewhere RENAME TO servicekit_jobs");
    expect([body.data.jobs, body.data.webhooks.active]).toEqual([null, 0]);
  });
});

describe("C115 the health details", () => {
  it("contain no part that the service does not have", async () => {
    const { service, asSuperUser } = await start({
      models: { Order: { ...models.Order, auth: { all: false } } },
      webhooks: off,
    });
    const operator = await asSuperUser();
    const stream = await readEvents(`${service.url}/api/orders/events`);
    await until(async () =>
      expect((await operator("GET", "health/details")).body).toEqual({
        data: { changes: { reader: "listening", streams: 1, consumers: [] } },
      }),
    );
    stream.close();
    expect((await operator("GET", "job-queues")).status).toBe(404);
  });

  it("count active and failing webhooks, and list those that the service has deactivated, the latest first", async () => {
    const { service, asSuperUser } = await start();
    const operator = await asSuperUser();
    const webhook = (name: string, values: object = {}) => ({
      ...{ url: `https://${name}.example/`, events: every, currentSecret: secret },
      ...values,
    });
    const deactivated = (name: string, day: number) =>
      webhook(name, { active: false, disabledReason: name, failingSince: new Date(Date.UTC(2030, 0, day)) });
    await service.database?.of("Webhook").createMany({
      data: [
        ...[webhook("one"), webhook("two"), webhook("failing", { failingSince: new Date() })],
        ...[webhook("paused", { active: false }), deactivated("early", 1), deactivated("late", 2)],
      ],
      select: { id: true },
    });
    const entry = (name: string, day: string) => ({
      ...{ id: expect.any(String), url: `https://${name}.example/`, disabledReason: name },
      failingSince: `2030-01-${day}T00:00:00.000Z`,
    });
    expect((await operator("GET", "health/details")).body.data.webhooks).toEqual({
      ...{ active: 3, failing: 1 },
      deactivated: [entry("late", "02"), entry("early", "01")],
    });
  });

  it("contain no event streams of a service without events", async () => {
    const { asSuperUser } = await start();
    const operator = await asSuperUser();
    const { changes } = (await operator("GET", "health/details")).body.data;
    expect(changes).toMatchObject({ streams: 0, consumers: [{ consumer: "webhooks" }] });
  });
});

describe("C114 the queues of jobs", () => {
  it("are listed with their failed jobs, which run again or are deleted", async () => {
    const { operator, id, failed, gone } = await startWithFailure();
    expect((await operator("GET", "job-queues")).body.data).toEqual([
      { name: "webhooks", ...idle, failed: 1 },
      { name: setAside, ...idle },
    ]);
    const [job] = (await operator("GET", failed)).body.data;
    expect(job).toMatchObject({
      ...{ queue: "webhooks", attempts: 1, key: expect.any(String) },
      error: expect.stringContaining("410"),
      data: { target: `id:${id}`, changeId: expect.stringMatching(/^\d+$/) },
    });
    await operator("PATCH", `webhooks/${id}`, { active: true });
    expect(await operator("POST", `${failed}/${job.id}/retry`)).toMatchObject({
      status: 200,
      body: { data: { retried: 1 } },
    });
    await until(() => expect(gone.received).toHaveLength(2));
    await until(async () => expect((await operator("GET", failed)).body.data).toHaveLength(1));
    const [again] = (await operator("GET", failed)).body.data;
    expect([again.jobId, again.id === job.id]).toEqual([job.jobId, false]);
    expect((await operator("DELETE", `${failed}/${again.id}`)).status).toBe(204);
    expect((await operator("DELETE", `${failed}/${again.id}`)).status).toBe(404);
    expect((await operator("POST", `${failed}/${again.id}/retry`)).status).toBe(404);
    expect((await operator("POST", `${failed}/retry`)).body).toEqual({ data: { retried: 0 } });
  });

  it("reject unknown queues, ids and parameters", async () => {
    const { service, asSuperUser } = await start(options);
    const operator = await asSuperUser();
    for (const [method, at, status] of [
      ["GET", "job-queues/other/failed", 404],
      ["POST", "job-queues/other/failed/retry", 404],
      ["DELETE", "job-queues/webhooks/failed/x", 404],
      ["GET", "job-queues/webhooks/failed?limit=0", 400],
      ["GET", "job-queues/webhooks/failed?after=1", 400],
      ["GET", "job-queues/webhooks/failed?x=1", 400],
    ] as const)
      expect([at, (await operator(method, at)).status]).toEqual([at, status]);
    const placeOf = async (method: string, at: string) => (await operator(method, at)).body.errors;
    expect(await placeOf("GET", "job-queues/other/failed")).toMatchObject([{ in: "params", path: "/queue" }]);
    expect(await placeOf("DELETE", "job-queues/webhooks/failed/x")).toMatchObject([{ in: "params", path: "/id" }]);
    const { paths } = (await service.openapi()) as unknown as { readonly paths: object };
    expect(Object.keys(paths)).toEqual(
      expect.arrayContaining(["/api/job-queues", "/api/job-queues/{queue}/failed/{id}", "/api/health/details"]),
    );
  });

  it("and the health details are reached by superusers only, and do not exist without authentication or jobs", async () => {
    const { service, as } = await start(options);
    const admin = await as("ADMIN");
    const calls = [
      ["GET", "health/details"],
      ["GET", "job-queues"],
      ["GET", "job-queues/webhooks/failed"],
      ["POST", "job-queues/webhooks/failed/retry"],
      ["POST", "job-queues/webhooks/failed/0b6cd2a1-0000-4000-8000-000000000001/retry"],
      ["DELETE", "job-queues/webhooks/failed/0b6cd2a1-0000-4000-8000-000000000001"],
    ] as const;
    for (const [method, at] of calls) {
      expect([at, (await fetch(`${service.url}/api/${at}`, { method })).status]).toEqual([at, 401]);
      expect([at, (await admin(method, at)).status]).toEqual([at, 403]);
    }
    const { service: open } = await start({ ...options, authentication: { mode: "static", enabled: false } });
    const { service: idle } = await start({ models: { Order: {}, Webhook: {} }, webhooks: off });
    for (const { url } of [open, idle])
      for (const [method, at] of calls)
        expect([at, (await fetch(`${url}/api/${at}`, { method })).status]).toEqual([at, 404]);
  });
});

describe("C115 metrics", () => {
  it("contain the lag of webhooks, the jobs of their queue, deliveries, and open event streams", async () => {
    const [failing, gone] = [
      await receiverOf((response) => response.writeHead(500).end()),
      await receiverOf((response) => response.writeHead(410).end()),
    ];
    const measured = { models, metrics: { port: 0 }, authentication: { mode: "static", enabled: false } } as const;
    const endpoints = [{ url: failing.url, events: every, secret }];
    const webhooks = { allow: ["127.0.0.1"], endpoints };
    const { service: sender } = await start({ ...measured, webhooks, jobs: { run: "worker" } });
    await sender.database?.of("Webhook").create({ data: { url: gone.url, events: every, currentSecret: secret } });
    // The first worker creates the position, after which changes are read.
    const { service: first } = await start({ ...measured, webhooks });
    await first.close();
    const before = await measure(sender);
    expect([before.get('change_lag{consumer="webhooks"}'), before.get("event_streams_open")]).toEqual([0, 0]);
    const stream = await readEvents(`${sender.url}/api/orders/events`);
    for (const title of ["one", "two"]) await sender.database?.of("Order").create({ data: { title } });
    const waiting = await measure(sender);
    expect(waiting.get('change_lag{consumer="webhooks"}')).toBe(2);
    expect(waiting.get('change_lag_seconds{consumer="webhooks"}')).toBeGreaterThan(0);
    expect(waiting.get("event_streams_open")).toBe(1);
    stream.close();

    const { service: worker } = await start({ ...measured, webhooks });
    await until(async () => {
      const found = await measure(worker);
      expect(found.get('change_lag{consumer="webhooks"}')).toBe(0);
      expect(found.get('webhook_deliveries_total{outcome="failed"}')).toBeGreaterThan(1);
      expect(found.get("webhooks_deactivated_total")).toBe(1);
      expect(found.get('job_duration_seconds_count{queue="webhooks",outcome="retried"}')).toBeGreaterThan(1);
    });
    // The second message to the deactivated webhook may wait for another attempt, which skips it.
    await until(async () => expect((await measure(sender)).get('jobs{queue="webhooks",state="retrying"}')).toBe(2));
    expect((await measure(sender)).get('webhook_deliveries_total{outcome="failed"}')).toBe(0);
    await until(async () => expect((await measure(sender)).get("event_streams_open")).toBe(0));
  });
});
