import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { every, makeWebhookServices } from "../../../../packages/service/test/serve-webhooks.js";

const { createDatabase, dropDatabase, receiverOf, start, clear } = makeWebhookServices();
beforeAll(createDatabase);
afterEach(clear);
afterAll(dropDatabase);

const until = (check: () => unknown) => vi.waitFor(check, { timeout: 120_000, interval: 50 });
/** A text that no compression shortens. */
const longText = (length: number): string => randomBytes(length / 2).toString("hex");

describe("changes that are larger than a response together", () => {
  it("C110 C112 are delivered to webhooks, and do not stop the changes after them", async () => {
    const receiver = await receiverOf();
    const { as } = await start({ limits: { response: "1mb" } });
    const admin = await as("ADMIN");
    await admin("POST", "webhooks", { url: receiver.url, events: every });
    const ids: number[] = [];
    for (let index = 0; index < 8; index++) {
      const created = await admin("POST", "orders", { title: longText(950_000) });
      expect(created.status).toBe(201);
      ids.push(created.body.data.id);
    }
    expect((await admin("DELETE", "orders/many", { ids })).status).toBe(200);
    const last = (await admin("POST", "orders", { title: "after them" })).body.data;
    const received = (type: string) =>
      receiver.received
        .map(({ body }) => JSON.parse(body) as { type: string; data: { id: number } })
        .filter((message) => message.type === type)
        .map(({ data }) => data.id);
    await until(() => expect(received("order.created")).toHaveLength(9));
    await until(() => expect(received("order.deleted").toSorted((a, b) => a - b)).toEqual(ids));
    expect(received("order.created").toSorted((a, b) => a - b)).toEqual([...ids, last.id]);
  });

  it("C108 are read in the history of their row, of which each page is no larger than a response", async () => {
    const { as } = await start({
      limits: { response: "1mb" },
      models: { Order: { auth: { all: true }, changes: { history: true } }, Webhook: { auth: { all: ["ADMIN"] } } },
    });
    const admin = await as("ADMIN");
    const titles = Array.from({ length: 15 }, () => longText(300_000));
    const { id } = (await admin("POST", "orders", { title: titles[0] })).body.data;
    for (const title of titles.slice(1)) expect((await admin("PATCH", `orders/${id}`, { title })).status).toBe(200);
    const states: string[] = [];
    for (let page = 1; page <= titles.length; page++) {
      const history = await admin("GET", `orders/${id}/history?limit=1&page=${page}`);
      expect([page, history.status]).toEqual([page, 200]);
      for (const { after } of history.body.data) states.push(after.title);
    }
    expect(states.reverse()).toEqual(titles);
    const tooLarge = await admin("GET", `orders/${id}/history?limit=10`);
    expect([tooLarge.status, tooLarge.body.code]).toEqual([400, "ResponseTooLarge"]);
  });
});
