import { randomUUID } from "node:crypto";
import { ServiceRouter } from "@servicekit/service";
import { afterEach, describe, expect, it } from "vitest";
import { makeStarter } from "../../../../packages/service/test/start.js";
import { hasRedisServer, type RedisServer, startRedisServer } from "../../../../scripts/test/redis-server.js";
import { makeOrders } from "./serve-orders.js";

const { init, closeAll } = makeStarter();
const orders = makeOrders();
let redis: RedisServer | undefined;
afterEach(async () => {
  await closeAll();
  await orders.close();
  redis?.kill();
});

describe.skipIf(!hasRedisServer())("C49 keys in a Redis that instances share", () => {
  it("C49 are used once by both, and are free again without a response", async () => {
    redis = await startRedisServer();
    let runs = 0;
    const start = async () => {
      const router = ServiceRouter();
      router.post({ path: "/pay", idempotency: true }, (request, response) => {
        runs++;
        response.status((request.body as { status: number }).status).json({ runs });
      });
      const config = { idempotency: { store: "redis" }, redis: { url: redis?.url ?? "" } } as const;
      const { url } = await init({ ...config, use: [router], middlewares: { rateLimit: { limit: 10_000 } } });
      await expect.poll(async () => (await fetch(`${url}/api/health/ready`)).text()).toMatch(/"redis":"up"/);
      return async (status: number, key: string) => {
        const headers = { "content-type": "application/json", "idempotency-key": key };
        const reply = await fetch(`${url}/pay`, { method: "POST", headers, body: JSON.stringify({ status }) });
        return {
          status: reply.status,
          replayed: reply.headers.get("idempotency-replayed"),
          text: await reply.text(),
        };
      };
    };
    const pays = [await start(), await start()];
    const call = (index: number, status: number, key: string) =>
      (pays[index % 2] as (typeof pays)[number])(status, key);
    const race = randomUUID();
    const all = await Promise.all(Array.from({ length: 100 }, (_, index) => call(index, 201, race)));
    expect(runs).toBe(1);
    expect(all.filter(({ status }) => status !== 201 && status !== 409)).toEqual([]);
    expect(await call(1, 201, race)).toEqual({ status: 201, replayed: "true", text: '{"runs":1}' });
    expect((await call(0, 200, race)).status).toBe(422);
    const failing = randomUUID();
    expect([(await call(0, 500, failing)).status, (await call(1, 500, failing)).status, runs]).toEqual([500, 500, 3]);
  });

  it("C49 a row is written once, whatever fails afterwards", async () => {
    redis = await startRedisServer();
    let after = 0;
    const { call, rows, url } = await orders.start({
      idempotency: { store: "redis" },
      redis: { url: redis.url },
      models: {
        Order: {
          hooks: {
            afterCreateOne: (request, response) => {
              after++;
              const { product } = request.body as { product: string };
              if (product === "throws") throw new Error("after the write");
              response.status(product === "busy" ? 503 : 409).json({ after });
            },
          },
        },
      },
    });
    await expect.poll(async () => (await fetch(`${url}/api/health/ready`)).text()).toMatch(/"redis":"up"/);
    for (const [product, status] of [["throws", 500] as const, ["busy", 503] as const, ["rejects", 409] as const]) {
      const own = { "idempotency-key": randomUUID() };
      expect((await call("POST", "orders", { product }, own)).status, product).toBe(status);
      // The response of the write itself, which the hook has delayed.
      const again = await call("POST", "orders", { product }, own);
      expect([again.status, again.replayed, again.text], product).toEqual([
        201,
        "true",
        expect.stringContaining(product),
      ]);
      expect(await rows("Order", { product }), product).toBe(1);
    }
    expect(after).toBe(3);
    // A rejected body has written nothing.
    const own = { "idempotency-key": randomUUID() };
    const body = { product: "rejected", customerId: 1 };
    expect((await call("POST", "orders", body, own)).status).toBe(400);
    expect(await rows("Order", { product: "rejected" })).toBe(0);
    await call("POST", "customers", { name: "Ada" });
    expect((await call("POST", "orders", body, own)).replayed).toBeNull();
    expect(await rows("Order", { product: "rejected" })).toBe(1);
  });
});
