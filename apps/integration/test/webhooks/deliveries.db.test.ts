import { Webhook } from "standardwebhooks";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { makeQueues } from "../../../../packages/jobs/src/index.js";
import { callerAt, every, makeWebhookServices } from "../../../../packages/service/test/serve-webhooks.js";
import type { Receiver } from "../../../../packages/webhooks/test/receiver.js";

const { logged, query, databaseUrl, createDatabase, dropDatabase, receiverOf, start, clear } = makeWebhookServices();
beforeAll(createDatabase);
afterEach(clear);
afterAll(dropDatabase);

const until = (check: () => unknown) => vi.waitFor(check, { timeout: 60_000, interval: 50 });

describe("C112 a webhook", () => {
  it("receives the messages about one row in order, also after failures, and duplicates with the same id", async () => {
    const failures = new Map<string, number>();
    const receiver = await receiverOf((response, { body }) => {
      const { data } = JSON.parse(body) as { data: { id: number } };
      const failed = failures.get(String(data.id)) ?? 0;
      failures.set(String(data.id), failed + 1);
      response.writeHead(failed === 0 ? 500 : 204).end();
    });
    const { as } = await start();
    const admin = await as("ADMIN");
    const { id } = (await admin("POST", "webhooks", { url: receiver.url, events: every })).body.data;
    const order = (await admin("POST", "orders", { title: "0" })).body.data;
    for (let index = 1; index <= 4; index++) await admin("PATCH", `orders/${order.id}`, { title: String(index) });
    await until(() => expect(receiver.received).toHaveLength(6));
    const titles = receiver.received.map(({ body }) => (JSON.parse(body) as { data: { title: string } }).data.title);
    expect(titles).toEqual(["0", "0", "1", "2", "3", "4"]);
    const [first, second] = receiver.received;
    expect(first?.headers["webhook-id"]).toBe(second?.headers["webhook-id"]);
    await until(async () => {
      const { data } = (await admin("GET", `webhooks/${id}`)).body;
      expect(data).toMatchObject({ failingSince: null, active: true });
    });
  });

  it("C131 has other ids in its messages when the log assigns the ids of changes again", async () => {
    const receiver = await receiverOf();
    const { as } = await start();
    const admin = await as("ADMIN");
    await admin("POST", "webhooks", { url: receiver.url, events: every });
    const ids = () => receiver.received.map(({ headers }) => String(headers["webhook-id"]));
    for (let index = 0; index < 3; index++) await admin("POST", "orders", { title: `before ${index}` });
    await until(() => expect(ids()).toHaveLength(3));
    await query(`TRUNCATE "Change" RESTART IDENTITY`);
    for (let index = 0; index < 6; index++) await admin("POST", "orders", { title: `after ${index}` });
    await until(() => expect(ids()).toHaveLength(9));
    expect(new Set(ids()).size).toBe(9);
    for (const id of ids()) expect(id).toMatch(/^evt_\d+_\d+_\d{13}$/);
    const titles = receiver.received.map(({ body }) => (JSON.parse(body) as { data: { title: string } }).data.title);
    expect(titles.slice(3).sort()).toEqual(Array.from({ length: 6 }, (_, index) => `after ${index}`));
  });

  it("C131 delivers the messages that an earlier version has queued once, with their ids", async () => {
    const receiver = await receiverOf();
    const { as } = await start();
    const admin = await as("ADMIN");
    const { id } = (await admin("POST", "webhooks", { url: receiver.url, events: every })).body.data;
    const body = '{"type":"order.created","timestamp":"2026-01-01T00:00:00.000Z","data":{"id":1}}';
    const data = { endpoint: `id:${id}`, event: "evt_34", type: "order.created", body };
    const queues = makeQueues({ url: databaseUrl(), log: { info() {}, warn() {}, error() {} } });
    queues.define({ name: "webhooks", ordered: true, handler: () => undefined });
    await queues.send("webhooks", { data, key: "an earlier key" });
    await queues.close();
    await until(() => expect(receiver.received).toHaveLength(1));
    await admin("POST", "orders", { title: "after the upgrade" });
    await until(() => expect(receiver.received).toHaveLength(2));
    expect(receiver.received[0]).toMatchObject({ body, headers: { "webhook-id": "evt_34" } });
  });

  it("is deactivated by 410, with a line in the log, and reactivated by an update", async () => {
    const receiver = await receiverOf((response) => response.writeHead(410).end());
    const { as } = await start();
    const admin = await as("ADMIN");
    const { id } = (await admin("POST", "webhooks", { url: receiver.url, events: every })).body.data;
    await admin("POST", "orders", { title: "one" });
    await until(async () =>
      expect((await admin("GET", `webhooks/${id}`)).body.data).toMatchObject({
        ...{ active: false, disabledReason: "The endpoint responded with 410 Gone." },
      }),
    );
    expect(logged()).toContainEqual(expect.objectContaining({ msg: "a webhook was deactivated", webhook: `id:${id}` }));
    await admin("POST", "orders", { title: "two" });
    const { body } = await admin("PATCH", `webhooks/${id}`, { active: true });
    expect(body.data).toMatchObject({ active: true, disabledReason: null, failingSince: null });
    expect(receiver.received).toHaveLength(1);
  });

  it("does not delay others while its endpoint never responds", async () => {
    const hanging = await receiverOf(() => undefined);
    const receiver = await receiverOf();
    const { as } = await start({ webhooks: { allow: ["127.0.0.1"], timeout: 500, concurrency: 2 } });
    const admin = await as("ADMIN");
    for (const { url } of [hanging, receiver]) await admin("POST", "webhooks", { url, events: every });
    for (let index = 0; index < 20; index++) await admin("POST", "orders", { title: String(index) });
    // A request that the time limit ended is sent again.
    await until(() => expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(20));
  });

  it("gives a webhook of a tenant only the rows of this tenant, and none that changes its tenant", async () => {
    const receiver = await receiverOf();
    const own = await receiverOf();
    const auth = { all: ["ONE", "TWO"] };
    const { service } = await start({
      models: { Order: { auth, changes: true }, Firm: { auth, changes: true }, Webhook: { auth } },
      tenant: { field: "firmId", of: ({ user }) => (user as { readonly firmId?: number }).firmId },
    });
    await service.database?.of("Firm").createMany({ data: [1, 2].map((id) => ({ id, name: String(id) })) });
    const one = await callerAt(service, "ONE", { firmId: 1 });
    const two = await callerAt(service, "TWO", { firmId: 2 });
    const events = [...every, "firm.updated"];
    expect((await one("POST", "webhooks", { url: receiver.url, events })).status).toBe(201);
    const { id } = (await two("POST", "webhooks", { url: own.url, events })).body.data;
    expect((await one("GET", `webhooks/${id}/deliveries`)).status).toBe(404);
    expect((await one("POST", `webhooks/${id}/rotate-secret`)).status).toBe(404);
    const orders = service.database?.of("Order");
    const order = (await two("POST", "orders", { title: "two" })).body.data;
    // To the other tenant, and back.
    await orders?.update({ where: { id: order.id }, data: { firmId: 1 } });
    await orders?.update({ where: { id: order.id }, data: { firmId: 2 } });
    await orders?.create({ data: { title: "no tenant" } });
    await service.database?.of("Firm").update({ where: { id: 2 }, data: { name: "changed" } });
    await one("POST", "orders", { title: "one" });
    const titles = ({ received }: Receiver) =>
      received.map(({ body }) => (JSON.parse(body) as { data: { title: string } }).data.title);
    await until(() => expect(titles(receiver)).toEqual(["one"]));
    await until(() => expect(titles(own)).toEqual(["two"]));
  });
});

describe("C112 secrets that are encrypted", () => {
  const withKey = (byte: number) =>
    start({ webhooks: { allow: ["127.0.0.1"], encryptionKey: Buffer.alloc(32, byte).toString("base64") } });

  it("fail the deliveries of a webhook whose secret no key decrypts, until it is rotated", async () => {
    const receiver = await receiverOf();
    const values = { url: receiver.url, events: ["order.created"] };
    const { service, as } = await withKey(1);
    const lost = (await (await as("ADMIN"))("POST", "webhooks", values)).body.data;
    await service.close();
    const { service: other } = await withKey(2);
    const admin = await callerAt(other, "OTHER", { role: "ADMIN" });
    const made = (await admin("POST", "webhooks", values)).body.data;
    await admin("POST", "orders", { title: "one" });
    await until(() => expect(receiver.received).toHaveLength(1));
    const [{ body, headers } = { body: "", headers: {} }] = receiver.received;
    new Webhook(made.secret).verify(body, headers as Record<string, string>);
    await until(async () =>
      expect((await admin("GET", `webhooks/${lost.id}/deliveries`)).body.data[0]).toMatchObject({
        ...{ state: "retrying", status: null, error: expect.stringContaining("no key of webhooks.encryptionKey") },
      }),
    );
    const { secret } = (await admin("POST", `webhooks/${lost.id}/rotate-secret`)).body.data;
    await until(() => expect(receiver.received).toHaveLength(2));
    const [, next] = receiver.received;
    new Webhook(secret).verify(next?.body ?? "", next?.headers as Record<string, string>);
  });
});
