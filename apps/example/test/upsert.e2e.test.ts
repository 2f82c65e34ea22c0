import { makeClient } from "@servicekit/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Api } from "../src/generated/service/api.js";
import type { Row } from "./api.js";
import { type Shop, startShop } from "./shop.js";

describe("C99 upserts of the shop", () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await startShop();
  });
  afterAll(() => shop?.close());

  it("create and replace a setting by its key", async () => {
    const path = "/api/settings/shop.opening";
    const created = await shop.call<{ data: Row }>("PUT", path, { value: { from: "9:00" }, description: "Hours" });
    expect([created.status, created.headers.get("location")]).toEqual([201, path]);
    const replaced = await shop.call<{ data: Row }>("PUT", path, { value: null });
    expect(replaced.status).toBe(200);
    expect(replaced.body.data).toMatchObject({ key: "shop.opening", value: null, description: null });
    expect((await shop.call("PUT", "/api/settings/shop.none", {})).status).toBe(400);
  });

  it("synchronise tags by their names", async () => {
    const [known] = await shop.sql<{ id: number; name: string }>("SELECT id, name FROM tags ORDER BY id LIMIT 1");
    const path = "/api/tags/many?onConflict=name";
    const items = [{ name: "brand new" }, { name: known?.name }];
    const { status, body } = await shop.call<{ data: Row[]; meta: unknown }>("POST", path, items);
    expect([status, body.meta]).toEqual([201, { count: 2, statuses: [201, 200] }]);
    expect(body.data[1]).toEqual(known);
    expect((await shop.call("PUT", "/api/tags/999999", { name: "x" })).status).toBe(404);
  });

  it("work with the typed client", async () => {
    const client = makeClient<Api>({ baseUrl: shop.url });
    const setting = await client.settings.replace("client.color", { key: "client.color", value: "red" });
    expect(setting.data.value).toBe("red");
    const changed = await client.settings.replace("client.color", { key: "client.color", value: "blue" });
    expect(changed.data.value).toBe("blue");
    const { meta } = await client.tags.createMany([{ name: "typed" }, { name: "brand new" }], {
      onConflict: "name",
      resolution: "ignore",
    });
    expect(meta.statuses).toEqual([201, 200]);
  });

  it("are executed once with an idempotency key", async () => {
    const send = async () => {
      const response = await fetch(`${shop.url}/api/tags/many?onConflict=name`, {
        method: "POST",
        headers: { "content-type": "application/json", "idempotency-key": "sync-1" },
        body: JSON.stringify([{ name: "once" }]),
      });
      return { status: response.status, body: await response.json() };
    };
    expect(await send()).toEqual(await send());
  });
});
