import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { every, makeWebhookServices } from "../../../../packages/service/test/serve-webhooks.js";

const { createDatabase, dropDatabase, receiverOf, start, clear } = makeWebhookServices();
beforeAll(createDatabase);
afterEach(clear);
afterAll(dropDatabase);

it("C112 a receiver gets no attempt before its Retry-After, and the message after it", {
  timeout: 120_000,
}, async () => {
  const times: number[] = [];
  const pauseMs = 8_000;
  const receiver = await receiverOf((response) => {
    times.push(performance.now());
    if (times.length > 1) response.writeHead(204).end();
    else response.writeHead(429, { "retry-after": String(pauseMs / 1_000) }).end();
  });
  const { as } = await start();
  const admin = await as("ADMIN");
  const { id } = (await admin("POST", "webhooks", { url: receiver.url, events: every })).body.data;
  await admin("POST", "orders", { title: "one" });
  // The first retry, after about 5 seconds, is too early, and is made later.
  await vi.waitUntil(() => times.length === 2, { timeout: 90_000 });
  const [first = 0, second = 0] = times;
  expect(second - first).toBeGreaterThanOrEqual(pauseMs);
  const ids = receiver.received.map(({ headers }) => headers["webhook-id"]);
  expect(new Set(ids).size).toBe(1);
  await vi.waitFor(async () => {
    const { data } = (await admin("GET", `webhooks/${id}/deliveries`)).body;
    expect(data).toMatchObject([
      { state: "delivered", status: 204 },
      { state: "retrying", status: 429, attempt: 1 },
    ]);
  });
});
