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

/** The file of a job of the workshop, for another folder. */
const readJob = (): string =>
  fs
    .readFileSync(path.join(workshop, "src/jobs/add-order.job.ts"), "utf8")
    .replace("../../../../../src/index.js", path.join(import.meta.dirname, "../src/index.js"))
    .replace('import { z } from "zod";', `import { z } from "${import.meta.resolve("zod")}";`);
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
    const withZod = readJob();
    const directory = project({
      "src/jobs/other.job.ts": withZod,
      "src/jobs/empty.job.ts": "export const nothing = 1;",
      "src/jobs/wrong.job.ts": withZod.replace('"add-order"', '"wrong"').replace("limit: 3", "limit: -1"),
      "src/jobs/send.jobs.ts": "export default 1;",
      "src/jobs/broken.job.ts": 'throw new Error("not yet");',
      "src/jobs/notes.md": "Not a job.",
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
    expect(message).toContain("src/jobs/broken.job.ts: Error: not yet");
    expect(message).not.toContain("notes.md");
  });

  it("C109 files of jobs that are not read prevent startup", async () => {
    const job = readJob();
    const isNotRead: readonly (readonly [file: string, meant: string, text?: string])[] = [
      ["src/jobs/plain.ts", "plain.job.ts", job],
      ["src/jobs/letters.jbo.ts", "letters.job.ts"],
      ["src/jobs/view.job.tsx", "view.job.ts"],
      ["src/jobs/common.job.cts", "common.job.ts"],
      ["src/jobs/upper.Job.mts", "upper.job.mts"],
      ["src/jobs/with.dots.job.ts", "with-dots.job.ts"],
      ["src/jobs/mail/inner.job.ts", "src/jobs/inner.job.ts"],
      ["src/jobs/mail/inner-plain.ts", "src/jobs/inner-plain.job.ts", job],
      ["src/job/singular.job.ts", "src/jobs/singular.job.ts"],
      ["src/root.job.js", "src/jobs/root.job.js"],
      ["src/modules/order/order.job.ts", "src/jobs/order.job.ts"],
      ["src/modules/notes.jobs.ts", "src/jobs/notes.job.ts"],
    ];
    const others = [
      ...["src/jobs/helper.ts", "src/jobs/add-order.job.test.ts", "src/jobs/types.d.ts", "src/jobs/a.log.ts"],
      ...["src/generated/a.job.ts", "src/node_modules/a/b.job.js", "src/jobs/a.job.json", "test/a.job.ts", "a.job.ts"],
    ];
    const directory = project({
      "src/jobs/add-order.job.ts": job,
      ...Object.fromEntries(isNotRead.map(([file, , text = "export default 1;"]) => [file, text])),
      ...Object.fromEntries(others.map((file) => [file, "export const one = 1;"])),
    });
    const { message } = await start({ models: { Order: {}, Note: {} } }, directory).then(
      () => new Error("It started."),
      (error: Error) => error,
    );
    expect(message.split("\n").slice(1).sort()).toEqual(
      isNotRead.map(([file, meant]) => `  - ${file}: This file is not read. Did you mean ${meant}?`).sort(),
    );
  });

  it("C109 jobs run in a service without recorded changes, with a queue beside the schema of its database", async () => {
    const schema = path.join(import.meta.dirname, "fixtures/workshop/schema.prisma");
    const own = await createPushedDatabase(inject("postgresUrl"), schema);
    const connection = new pg.Client({ connectionString: own.url });
    await connection.connect();
    try {
      await connection.query("ALTER SCHEMA public RENAME TO sales");
      const url = new URL(own.url);
      url.searchParams.set("schema", "sales");
      const jobs = { "src/jobs/add-order.job.ts": readJob() };
      const service = await start({ models: {} }, project(jobs), { DATABASE_URL: url.href });
      await service.jobs.send(addOrder, { title: "one" });
      const titles = async () => (await connection.query('SELECT title FROM sales."Order"')).rows;
      await expect.poll(titles, { timeout: 60_000 }).toEqual([{ title: "one" }]);
      const { rows } = await connection.query("SELECT nspname FROM pg_namespace WHERE nspname LIKE '%jobs'");
      expect(rows).toEqual([{ nspname: "sales_jobs" }]);
      await closeAll();
    } finally {
      await connection.end();
      await own.drop();
    }
  });
});

describe("changes", () => {
  it("C108 of models with a retention are deleted when they are older", async () => {
    const old = { key: "1", operation: "create", actor: "system", time: new Date(Date.now() - 31 * 86_400_000) };
    await start({}, project());
    await client.change.createMany({ data: ["Order", "Note"].map((model) => ({ model, ...old })) });
    await closeAll();
    // The first deletion follows a minute after the start.
    const { setTimeout: original } = globalThis;
    const spy = vi
      .spyOn(globalThis, "setTimeout")
      .mockImplementation(((run: () => void, ms?: number) =>
        original(run, ms === 60_000 ? 0 : ms)) as typeof setTimeout);
    await start({ models: { Order: { changes: { retention: { days: 30 } } }, Note: { changes: true } } }, project());
    spy.mockRestore();
    const left = async () => (await client.change.findMany({ select: { model: true } })).map(({ model }) => model);
    await expect.poll(left, { timeout: 60_000 }).toEqual(["Note"]);
  });

  it("C124 purge the public responses of their rows, again after an error", async () => {
    const purged: (readonly string[])[] = [];
    const purge = (keys: readonly string[]) => {
      purged.push(keys);
      if (purged.length === 1) throw new Error("The CDN is unavailable.");
    };
    const Order = { changes: true, cache: { public: true, maxAge: 60 } } as const;
    const service = await start({ cache: { purge }, models: { Order, Note: {} } }, project());
    const { data } = (await (await post(service, "/api/orders", { title: "a", total: "1.00" })).json()) as {
      data: { id: number };
    };
    const keysAt = async (at: string) => (await fetch(`${service.url}${at}`)).headers.get("surrogate-key");
    const keys = ["order", `order/${data.id}`];
    await expect.poll(() => purged, { timeout: 60_000 }).toEqual([keys, keys]);
    expect([await keysAt("/api/orders"), await keysAt(`/api/orders/${data.id}`)]).toEqual(keys);
  });

  it("C106 name the caller of their request", async () => {
    const Order = { changes: true } as const;
    const open = await start({ models: { Order, Note: {} } }, project());
    await post(open, "/api/orders", { title: "one", total: "1.00" });
    await open.database?.of("Order").create({ data: { title: "two" } });
    const identify = () => ({ id: 7, roles: [] });
    const authentication = { mode: "static", accounts: false, identify } as const;
    const models = { Order: { ...Order, auth: { all: true } }, Note: {} } as const;
    await post(await start({ authentication, models }, project()), "/api/orders", { title: "three", total: "1.00" });
    const changes = await client.change.findMany({ select: { actor: true }, orderBy: { id: "asc" } });
    expect(changes.map(({ actor }) => actor)).toEqual(["anonymous", "system", "external:identify:7"]);
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
