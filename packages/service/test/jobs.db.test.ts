import fs from "node:fs";
import path from "node:path";
import type { Queues } from "@servicekit/jobs";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it, vi } from "vitest";
import { emptyTables } from "../../../scripts/test/empty-tables.js";
import { createPushedDatabase } from "../../../scripts/test/template-database.js";
import { type RunningService, type ServiceInitConfig, ServiceRouter } from "../src/index.js";
import { makeContext } from "../src/service-context.js";
import { PrismaClient } from "./generated/workshop/client/client.js";
import { models } from "./generated/workshop/models.js";
import { makeProjects } from "./project-folder.js";
import addOrder from "./projects/workshop/src/jobs/add-order.job.js";
import { makeStarter } from "./start.js";

const { init, closeAll, logged } = makeStarter();
const { project, removeAll } = makeProjects();
const contextOf = makeContext<PrismaClient>();
const workshop = path.join(import.meta.dirname, "projects/workshop");
let created: Awaited<ReturnType<typeof createPushedDatabase>>;
let client: PrismaClient;

const router = ServiceRouter();
router.post({ path: "/api/add" }, async (request, response) => {
  const { database, jobs } = contextOf(request);
  const { payload, fails } = request.body as { payload: { title: string }; fails?: boolean };
  const id = await database.transaction(async (inside) => {
    await inside.of("Note").create({ data: { text: "sent" }, select: { id: true } });
    const sent = await jobs.send(addOrder, payload);
    if (fails === true) throw new Error("no");
    return sent;
  });
  response.status(202).json({ id });
});

async function start(config: ServiceInitConfig = {}, directory = workshop, variables = {}) {
  return init(
    {
      // Only for tests that hang: a busy machine never reaches it.
      timeouts: { poolWait: 60_000 },
      middlewares: { rateLimit: { limit: 1_000_000 } },
      database: {
        models,
        client: ({ adapter }) => {
          client = new PrismaClient({ adapter: adapter as never });
          return client;
        },
      },
      models: { Order: { changes: true }, Note: {} },
      use: [router],
      ...config,
    },
    { environment: { NODE_ENV: "test", DATABASE_URL: created.url, ...variables }, directory },
  );
}
const post = (service: RunningService, at: string, body: object, method = "POST") =>
  fetch(`${service.url}${at}`, {
    method,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
const notes = async () => (await client.note.findMany({ orderBy: { id: "asc" } })).map(({ text }) => text);

beforeAll(async () => {
  const schema = path.join(import.meta.dirname, "fixtures/workshop/schema.prisma");
  created = await createPushedDatabase(inject("postgresUrl"), schema);
});
beforeEach(async () => {
  const connection = new pg.Client({ connectionString: created.url });
  await connection.connect();
  await connection.query(emptyTables("Order", "Note", "Change", "ChangePosition"));
  await connection.end();
});
afterEach(closeAll);
afterAll(async () => {
  removeAll();
  await created?.drop();
});

describe("jobs", () => {
  it("C109 a job that a handler sends in a transaction runs after the commit, and not after a rollback", async () => {
    const service = await start();
    expect((await post(service, "/api/add", { payload: { title: "rolled back" }, fails: true })).status).toBe(500);
    expect((await post(service, "/api/add", { payload: { title: "first" } })).status).toBe(202);
    expect(await service.jobs.send(addOrder, { title: "second", failures: 2 })).toMatch(/^[\da-f-]{36}$/);
    await expect.poll(async () => client.order.count(), { timeout: 120_000 }).toBe(2);
    const orders = await client.order.findMany({ select: { title: true, total: true }, orderBy: { title: "asc" } });
    expect(orders.map(({ title, total }) => `${title} ${total}`)).toEqual(["first 1", "second 1"]);
    expect((await notes()).filter((text) => text === "sent")).toEqual(["sent"]);
    // Their writes are recorded.
    const changes = await client.change.findMany({ where: { model: "Order" }, select: { actor: true } });
    expect(changes).toEqual([{ actor: "job:add-order" }, { actor: "job:add-order" }]);
  });

  it("C109 a job that is sent in a transaction is looked for after the commit, and not after a rollback", async () => {
    const service = await start();
    const wake = vi.spyOn(service.jobQueues as Queues, "wake");
    await post(service, "/api/add", { payload: { title: "rolled back" }, fails: true });
    expect(wake).not.toHaveBeenCalled();
    await post(service, "/api/add", { payload: { title: "first" } });
    expect(wake).toHaveBeenCalledWith(["add-order"]);
    await expect.poll(async () => client.order.count(), { timeout: 120_000 }).toBe(1);
  });

  it("C109 a payload is validated when it is sent", async () => {
    const service = await start();
    const send = (payload: object) => service.jobs.send(addOrder, payload as never);
    await expect(send({ title: "" })).rejects.toThrow("The payload of the job add-order is invalid: title: ");
    await expect(send({ title: 1 })).rejects.toThrow("title: ");
    await expect(send({ title: "a\0b" })).rejects.toThrow("U+0000");
    await expect(send({ title: "a\ud800" })).rejects.toThrow("unpaired surrogate");
    await expect(send({ title: "a", total: 1n })).rejects.toThrow("BigInt");
    await expect(service.jobs.send({ ...addOrder, name: "other" }, { title: "a" })).rejects.toThrow(
      "The job other is not one of this service. Move it to src/jobs/other.job.ts.",
    );
    const response = await post(service, "/api/add", { payload: { title: "" } });
    expect(response.status).toBe(500);
    expect(await notes()).toEqual([]);
    // Unknown keys and prototypes are not stored.
    await send(JSON.parse('{"title":"ok","__proto__":{"isHopeless":true},"constructor":{}}'));
    await expect.poll(async () => client.order.count(), { timeout: 120_000 }).toBe(1);
  });

  it("C109 only processes that run jobs run them", async () => {
    const sender = await start({ jobs: { run: "worker" } });
    await sender.jobs.send(addOrder, { title: "waits" });
    expect((await post(sender, "/api/add", { payload: { title: "waits too" } })).status).toBe(202);
    expect(await client.order.count()).toBe(0);
    await sender.runJobs();
    await expect.poll(async () => client.order.count(), { timeout: 120_000 }).toBe(2);
  });

  it("C109 a worker runs jobs, and does not listen", async () => {
    const worker = await start({ jobs: { run: "worker" } }, workshop, { SERVICEKIT_ROLE: "worker" });
    expect(worker.server.listening).toBe(false);
    expect(logged()).toContainEqual(expect.objectContaining({ msg: "running jobs without listening" }));
    await worker.jobs.send(addOrder, { title: "one" });
    await expect.poll(async () => client.order.count(), { timeout: 120_000 }).toBe(1);
  });

  it("C109 invalid job files prevent startup", async () => {
    const source = fs.readFileSync(path.join(workshop, "src/jobs/add-order.job.ts"), "utf8");
    const at = path.join(import.meta.dirname, "../src/index.js");
    const job = source.replace("../../../../../src/index.js", at);
    const zod = `import { z } from "${import.meta.resolve("zod")}";`;
    const withZod = job.replace('import { z } from "zod";', zod);
    const directory = project({
      "src/jobs/other.job.ts": withZod,
      "src/jobs/empty.job.ts": "export const nothing = 1;",
      "src/jobs/wrong.job.ts": withZod.replace('"add-order"', '"wrong"').replace("limit: 3", "limit: -1"),
      "src/jobs/send.jobs.ts": "export default 1;",
      "src/jobs/webhooks.job.ts": withZod.replace('"add-order"', '"webhooks"'),
    });
    const failed = start({ models: { Order: {}, Note: {} } }, directory);
    const { message } = await failed.then(
      () => new Error("It started."),
      (error: Error) => error,
    );
    expect(message).toContain(
      "src/jobs/empty.job.ts: The default export must be a job: export default defineJob({ … }).",
    );
    expect(message).toContain(
      'src/jobs/other.job.ts: The job is named "add-order". Rename it to "other", or the file.',
    );
    expect(message).toContain("src/jobs/send.jobs.ts: This file is not read. Did you mean send.job.ts?");
    expect(message).toContain(
      'src/jobs/webhooks.job.ts: The name "webhooks" is that of a queue of the service. Rename the job and its file.',
    );
    expect(message).toMatch(/src\/jobs\/wrong\.job\.ts.*retries\.limit/);
  });
});

describe("subscribers", () => {
  it("C110 run after committed changes of each kind, in the order of each row, with both states and without hidden fields", async () => {
    const service = await start();
    const response = await post(service, "/api/orders", { title: "fails once", total: "2.50" });
    const { data } = (await response.json()) as { data: { id: number } };
    await post(service, `/api/orders/${data.id}`, { title: "b" }, "PATCH");
    await post(service, "/api/orders", { title: "" }, "PATCH");
    await post(service, `/api/orders/${data.id}`, {}, "DELETE");
    await expect
      .poll(notes, { timeout: 120_000 })
      .toEqual([
        `${data.id} created fails once 2.5 false`,
        `${data.id} updated fails once > b`,
        `${data.id} deleted b`,
      ]);
  });

  it("C110 are woken by commits of other processes", async () => {
    const listener = new pg.Client({ connectionString: created.url });
    await listener.connect();
    const notified: string[] = [];
    listener.on("notification", ({ channel }) => notified.push(channel));
    await listener.query("LISTEN servicekit_changes");
    const service = await start({ jobs: { run: "worker" } });
    await post(service, "/api/orders", { title: "a", total: "1.00" });
    await expect.poll(() => notified).toContain("servicekit_changes");
    await listener.end();
  });

  it("C106 without subscribers commits of changes are not announced", async () => {
    const notified: string[] = [];
    const listener = new pg.Client({ connectionString: created.url });
    await listener.connect();
    listener.on("notification", ({ payload = "" }) => notified.push(payload));
    await listener.query("LISTEN servicekit_changes");
    const service = await start({}, project());
    expect((await post(service, "/api/orders", { title: "a", total: "1.00" })).status).toBe(201);
    // What the service announces is sent when it has stopped.
    await closeAll();
    await listener.query("NOTIFY servicekit_changes, 'last'");
    await expect.poll(() => notified).toContain("last");
    expect(notified).toEqual(["last"]);
    await listener.end();
  });

  it("C110 need recorded changes of their model, and a model for their position", async () => {
    await expect(start({ models: { Order: {}, Note: {} } })).rejects.toThrow(
      "order/order.events: Subscribers need the recorded changes of Order. Set changes: true in order.model, or remove the file.",
    );
    const withoutPosition = { ...models, models: models.models.filter(({ name }) => name !== "ChangePosition") };
    await expect(
      start({
        database: {
          models: withoutPosition as never,
          client: ({ adapter }) => new PrismaClient({ adapter: adapter as never }),
        },
      }),
    ).rejects.toThrow("requires a model ChangePosition in the schema. Run npx service generate change-position.");
  });

  it("C108 a position without a subscriber is named in the log of the start, if it keeps changes from being deleted", async () => {
    await start();
    await closeAll();
    await client.changePosition.create({ data: { name: "gone.events", lastId: 0n } });
    const warnings = () => logged().filter(({ position }) => position !== undefined);
    await start();
    expect(warnings()).toEqual([]);
    await closeAll();
    const warned = [
      { position: "gone.events", msg: expect.stringContaining("run npx service changes forget gone.events.") },
    ];
    const limited = { models: { Order: { changes: { retention: { days: 30 } } }, Note: {} } };
    await start(limited);
    await expect.poll(warnings, { timeout: 60_000 }).toMatchObject(warned);
    await closeAll();
    // Also if the database becomes available after the start.
    const admin = new pg.Client({ connectionString: inject("postgresUrl") });
    await admin.connect();
    const allow = (isAllowed: boolean) =>
      admin.query(`ALTER DATABASE "${new URL(created.url).pathname.slice(1)}" ALLOW_CONNECTIONS ${isAllowed}`);
    try {
      await allow(false);
      await start(limited);
      await expect
        .poll(() => logged().some(({ msg }) => String(msg).startsWith("the database is unavailable")))
        .toBe(true);
      expect(warnings()).toEqual([]);
    } finally {
      await allow(true);
      await admin.end();
    }
    await expect.poll(warnings, { timeout: 60_000 }).toMatchObject(warned);
  });

  it("C110 a misspelled subscriber prevents startup", async () => {
    const directory = project({ "src/modules/order/order.events.ts": "export const onCreate = () => {};" });
    await expect(start({}, directory)).rejects.toThrow(/order\.events\.ts.*onCreate.*onCreated/s);
  });
});
