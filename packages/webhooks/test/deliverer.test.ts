import type { Database } from "@servicekit/prisma";
import { describe, expect, it } from "vitest";
import { type Attempt, type Endpoint, makeDeliverer, makeSecretCipher, messageOf, type Sender } from "../src/index.js";

const endpoint: Endpoint = { name: "url:https://a.example/", url: "https://a.example/", events: [], secrets: ["x"] };
const job = { endpoint: endpoint.name, event: "evt_1", type: "order.created", body: "{}" };
// Only webhooks with a row are stored.
const unused = {} as Database;
const first = { attempt: 1, isLast: false };

/** A deliverer whose attempts have these results. */
function delivererOf(...results: readonly Partial<Attempt>[]) {
  let sent = 0;
  const sender: Sender = {
    urlIssue: () => undefined,
    send: () => {
      const result = results[sent++];
      return Promise.resolve({ delivered: false, time: new Date(), duration: 1, ...result });
    },
  };
  const deliverer = makeDeliverer({
    cipher: makeSecretCipher([]),
    ...{ sender, database: unused, models: undefined, deactivateAfterDays: 5 },
    endpoints: {
      active: async () => [endpoint],
      find: async (name) => (name === endpoint.name ? endpoint : undefined),
      lastKnown: () => endpoint,
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

  it("returns the time in Retry-After", async () => {
    const { deliverer } = delivererOf({ status: 429, retryAfterMs: 3_600_000 });
    expect(await deliverer.deliver(job, first)).toEqual({
      ...{ outcome: "retry", retryAfterMs: 3_600_000 },
      reason: expect.stringContaining("429"),
    });
  });

  it("C151 limits an endpoint that fails or is slow to one attempt at a time", async () => {
    const results = [{ error: "No response." }, { delivered: true }, { delivered: true, duration: 1_000 }];
    const { deliverer } = delivererOf(...results);
    const limits = [deliverer.limitOf(endpoint.name)];
    for (const _ of results) {
      await deliverer.deliver(job, first);
      limits.push(deliverer.limitOf(endpoint.name));
    }
    expect(limits).toEqual([4, 1, 4, 1]);
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
