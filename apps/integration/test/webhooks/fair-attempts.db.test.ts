import { randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { every, makeWebhookServices } from "../../../../packages/service/test/serve-webhooks.js";

const { query, rowsOf, createDatabase, dropDatabase, receiverOf, start, clear } = makeWebhookServices();
beforeAll(createDatabase);
afterEach(clear);
afterAll(dropDatabase);

const until = (check: () => unknown) => vi.waitFor(check, { timeout: 120_000, interval: 50 });
const orders = (count: number) => Array.from({ length: count }, (_, index) => ({ title: String(index) }));

describe("C151 endpoints", () => {
  it("do not wait for one that does not respond", async () => {
    const waiting: ServerResponse[] = [];
    const slow = await receiverOf((response) => void waiting.push(response));
    const quick = await receiverOf();
    const { as } = await start({ webhooks: { allow: ["127.0.0.1"], concurrency: 6, timeout: 60_000 } });
    const admin = await as("ADMIN");
    for (const { url } of [slow, quick]) await admin("POST", "webhooks", { url, events: every });
    expect((await admin("POST", "orders/many", orders(200))).status).toBe(201);
    await until(() => expect(quick.received).toHaveLength(200));
    expect(slow.received.length).toBeLessThanOrEqual(4);
    for (const response of waiting) response.writeHead(204).end();
  });

  it("share the message about a large change, which is stored once", async () => {
    const receiver = await receiverOf();
    const { as, service } = await start({ webhooks: { allow: ["127.0.0.1"], maxPerCaller: 100 } });
    const admin = await as("ADMIN");
    const count = 60;
    for (let index = 0; index < count; index++)
      await admin("POST", "webhooks", { url: `${receiver.url}/${index}`, events: every });
    const title = randomBytes(450_000).toString("hex");
    expect((await admin("POST", "orders", { title })).status).toBe(201);
    await until(() => expect(receiver.received).toHaveLength(count));
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(new Set(receiver.received.map(({ body }) => JSON.parse(body).data.title.length))).toEqual(
      new Set([900_000]),
    );
    await until(async () =>
      expect(await service.jobQueues?.counts()).toMatchObject([{ queued: 0, active: 0, failed: 0 }, {}]),
    );
  });

  it("receive at most what their rate allows, from all processes together", async () => {
    const [limited, other] = [await receiverOf(), await receiverOf()];
    const webhooks = { allow: ["127.0.0.1"], rateLimit: { bytes: 1 } };
    const { as } = await start({ webhooks });
    await start({ webhooks });
    const admin = await as("ADMIN");
    await admin("POST", "webhooks", { url: limited.url, events: ["order.created"] });
    await admin("POST", "orders/many", orders(40));
    const paused = `SELECT 1 FROM servicekit_jobs.ordered_target WHERE paused_until > now() + interval '30 seconds'`;
    await until(async () => expect(await rowsOf(paused)).toHaveLength(1));
    const { id } = (await admin("POST", "orders", { title: "last" })).body.data;
    await admin("POST", "webhooks", { url: other.url, events: ["order.updated"] });
    await admin("PATCH", `orders/${id}`, { title: "changed" });
    await until(() => expect(other.received).toHaveLength(1));
    // Each process had started at most four attempts before the first one ended.
    expect(limited.received.length).toBeLessThanOrEqual(8);
  });

  it("that are deleted or deactivated leave no messages behind", async () => {
    const waiting: ServerResponse[] = [];
    const receiver = await receiverOf((response) => void waiting.push(response));
    const { as, service } = await start({ webhooks: { allow: ["127.0.0.1"], concurrency: 4 } });
    const admin = await as("ADMIN");
    const { id } = (await admin("POST", "webhooks", { url: receiver.url, events: every })).body.data;
    await admin("POST", "orders/many", orders(300));
    await until(() => expect(waiting.length).toBeGreaterThan(0));
    expect((await admin("DELETE", `webhooks/${id}`)).status).toBe(204);
    for (const response of waiting) response.writeHead(204).end();
    await until(async () => expect((await service.jobQueues?.counts())?.[0]).toMatchObject({ queued: 0, active: 0 }));
    expect(receiver.received.length).toBeLessThan(100);
    await query(`DELETE FROM "WebhookDelivery"`);
  });
});
