import type { Database } from "@servicekit/prisma";
import { describe, expect, it } from "vitest";
import { type Attempt, type Endpoint, makeDeliverer, makeSecretCipher, messageOf, type Sender } from "../src/index.js";

const endpoint: Endpoint = { name: "url:https://a.example/", url: "https://a.example/", events: [], secrets: ["x"] };
const job = { endpoint: endpoint.name, event: "evt_1", type: "order.created", body: "{}" };
// Only webhooks with a row are stored.
const unused = {} as Database;
const first = { attempt: 1, isLast: false };

/** A deliverer whose attempts have these results; `undefined` never ends. */
function delivererOf(...results: readonly (Partial<Attempt> | undefined)[]) {
  let sent = 0;
  const sender: Sender = {
    urlIssue: () => undefined,
    send: () => {
      const result = results[sent++];
      if (result === undefined) return new Promise(() => undefined);
      return Promise.resolve({ delivered: false, time: new Date(), duration: 1, ...result });
    },
  };
  const deliverer = makeDeliverer({
    cipher: makeSecretCipher([]),
    ...{ sender, database: unused, models: undefined, deactivateAfterDays: 5 },
    endpoints: {
      active: async () => [endpoint],
      find: async (name) => (name === endpoint.name ? endpoint : undefined),
    },
    log: { warn: () => undefined },
  });
  return { deliverer, sent: () => sent };
}

describe("C112 the deliverer", () => {
  it("skips messages for endpoints that are not active", async () => {
    const { deliverer, sent } = delivererOf();
    expect(await deliverer.deliver({ ...job, endpoint: "id:1" }, first)).toMatchObject({ outcome: "skipped" });
    expect(sent()).toBe(0);
  });

  it("sends nothing before the time in Retry-After, except for the last attempt", async () => {
    const { deliverer, sent } = delivererOf({ status: 429, retryAfterMs: 3_600_000 }, { delivered: true, status: 200 });
    expect(await deliverer.deliver(job, first)).toMatchObject({
      outcome: "retry",
      reason: expect.stringContaining("429"),
    });
    expect(await deliverer.deliver(job, first)).toMatchObject({
      outcome: "retry",
      reason: expect.stringContaining("Retry-After"),
    });
    expect(sent()).toBe(1);
    expect(await deliverer.deliver(job, { attempt: 19, isLast: true })).toEqual({ outcome: "delivered" });
  });

  it("sends one message at a time to an endpoint that fails", async () => {
    const { deliverer, sent } = delivererOf({ error: "No response." }, undefined);
    await deliverer.deliver(job, first);
    void deliverer.deliver(job, first);
    await expect.poll(sent).toBe(2);
    expect(await deliverer.deliver(job, first)).toMatchObject({
      outcome: "retry",
      reason: expect.stringContaining("another attempt is running"),
    });
    expect(sent()).toBe(2);
  });

  it("fails a message after the last attempt, and after 410", async () => {
    const { deliverer } = delivererOf({ status: 500 }, { status: 410 });
    expect(await deliverer.deliver(job, { attempt: 19, isLast: true })).toMatchObject({ outcome: "failed" });
    expect(await deliverer.deliver(job, first)).toMatchObject({ outcome: "failed" });
  });
});

it("C112 a message contains the row after the change, or before it if it was deleted", () => {
  const change = { id: 7n, transaction: 123n, time: new Date(4), model: "OrderItem", key: "1" };
  expect(messageOf({ ...change, operation: "delete", before: { id: 1 }, after: null })).toEqual({
    ...{ event: "evt_7_123_4", type: "orderItem.deleted" },
    body: '{"type":"orderItem.deleted","timestamp":"1970-01-01T00:00:00.004Z","data":{"id":1}}',
  });
});
