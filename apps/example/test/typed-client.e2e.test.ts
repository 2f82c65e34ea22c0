import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { type Client, isApiError, makeClient } from "@servicekit/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Api } from "../src/generated/service/api.js";
import { type Shop, startShop } from "./shop.js";
import type { Routes } from "./typed-client.js";

/** The same with and without the network: `service.fetch` returns the responses of the server. */
describe.each(["over HTTP", "by the fetch handler"] as const)("C74 the client of the shop %s", (way) => {
  const uploads = fs.mkdtempSync(path.join(os.tmpdir(), "typed-client-"));
  let shop: Shop;
  let client: Client<Api, Routes>;
  beforeAll(async () => {
    shop = await startShop({ fileUpload: { baseUploadDir: uploads } });
    client =
      way === "over HTTP"
        ? makeClient<Api, Routes>({ baseUrl: shop.url })
        : makeClient<Api, Routes>({ baseUrl: "http://shop.test", fetch: shop.fetch });
  });
  afterAll(async () => {
    await shop?.close();
    fs.rmSync(uploads, { recursive: true, force: true });
  });

  it("lists exactly the requested fields", async () => {
    const { data, meta } = await client.products.list({
      where: { price: { lt: 20 }, category: { name: { not: "x" } } },
      include: { category: true },
      fields: ["id", "name"],
      sort: ["-price", "category.parent.slug"],
      limit: 3,
    });
    const prices = await shop.sql<{ id: number }>(
      "SELECT id FROM products WHERE price < 20 ORDER BY price DESC LIMIT 1",
    );
    expect(Object.keys(data[0] ?? {})).toEqual(["id", "name", "category"]);
    expect(data[0]?.category.slug).toEqual(expect.any(String));
    expect(prices).toHaveLength(1);
    expect([data.length, meta.limit]).toEqual([3, 3]);
    expect(meta.total).toBe(Number(await shop.value("SELECT count(*) FROM products WHERE price < 20")));
  });

  it("supports every form of a filter like the service", async () => {
    const count = async (where: NonNullable<Parameters<typeof client.products.list>[0]>["where"]) =>
      (await client.products.list({ ...(where && { where }), limit: 1 })).meta.total;
    const sql = (condition: string) =>
      shop.value(`SELECT count(*) FROM products p WHERE ${condition}`).then((text) => Number(text));
    const [name = ""] = (await shop.sql<{ name: string }>("SELECT name FROM products ORDER BY id LIMIT 1")).map(
      (row) => row.name,
    );
    expect(await count({ name })).toBe(await sql(`name = '${name.replaceAll("'", "''")}'`));
    expect(await count({ status: ["ACTIVE"] })).toBe(await sql("status = 'ACTIVE'"));
    expect(await count({ status: ["ACTIVE", "DRAFT"] })).toBe(await sql("status IN ('ACTIVE', 'DRAFT')"));
    expect(await count({ status: { in: [] } })).toBe(0);
    expect(await count({ weight: null })).toBe(await sql("weight IS NULL"));
    expect(await count({ price: { gte: "10.00", lt: 20 } })).toBe(await sql("price >= 10 AND price < 20"));
    expect(await count({ channels: { hasEvery: ["WEB", "STORE"] } })).toBe(await sql("channels @> '{WEB,STORE}'"));
    expect(await count({ OR: [{ stock: 0 }, { NOT: { releasedOn: { isNull: false } } }] })).toBe(
      await sql("stock = 0 OR released_on IS NULL"),
    );
    expect(await count({ reviews: { none: { rating: { lt: 3 } } } })).toBe(
      await sql("NOT EXISTS (SELECT 1 FROM reviews r WHERE r.product_id = p.id AND r.rating < 3)"),
    );
    expect(await count({ category: { parent: null } })).toBe(
      await sql("EXISTS (SELECT 1 FROM categories c WHERE c.id = p.category_id AND c.parent_id IS NULL)"),
    );
    expect(await count({ name: 'a "quoted", text' })).toBe(0);
  });

  it("walks all pages by cursor, each row once", async () => {
    const ids: number[] = [];
    for await (const { data } of client.tags.pages({ fields: ["id"], limit: 7 })) ids.push(...data.map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBe(Number(await shop.value("SELECT count(*) FROM tags")));
  });

  it("creates, changes without a concurrent change, and deletes", async () => {
    const other = makeClient<Api>({ baseUrl: shop.url });
    const { data: made } = await client.products.create({
      sku: `T-${way === "over HTTP" ? 1 : 2}`,
      name: "Tin Mug",
      price: "12.50",
      category: { id: 1 },
      tags: [],
    });
    expect(made).toMatchObject({ name: "Tin Mug", price: "12.50", status: "DRAFT", categoryId: 1 });
    const { data: changed } = await client.products.update(made.id, { price: 11 });
    expect(changed.price).toBe("11.00");
    await other.products.update(made.id, { name: "Faster" });
    const rejected = await client.products.update(made.id, { name: "Slower" }).catch((error: unknown) => error);
    expect(isApiError(rejected, "PreconditionFailed")).toBe(true);
    const { data: seen } = await client.products.read(made.id);
    expect(seen.name).toBe("Faster");
    await client.products.update(made.id, { name: "Slower" });
    await client.products.delete(made.id);
    const absent = await client.products.read(made.id).catch((error: unknown) => error);
    expect(absent).toMatchObject({ status: 404, code: "NotFound" });
  });

  it("identifies rows by compound keys, and writes in bulk", async () => {
    const [item] = (await client.orderItems.list({ limit: 1 })).data;
    if (item === undefined) return expect.fail("The shop has no orders.");
    const { data } = await client.orderItems.read([item.orderId, item.line], { include: { product: true } });
    expect(data).toMatchObject({ orderId: item.orderId, product: { id: item.productId } });
    const { data: tags } = await client.tags.createMany([{ name: `one ${way}` }, { name: `two, ${way}` }]);
    const [one, two] = tags;
    await client.tags.updateMany({ where: { name: `two, ${way}` }, data: { name: `three ${way}` } });
    const { data: third } = await client.tags.read(two?.id ?? 0);
    expect(third.name).toBe(`three ${way}`);
    const { meta } = await client.tags.deleteMany({ keys: [one?.id ?? 0, two?.id ?? 0] });
    expect(meta.count).toBe(2);
  });

  it("calls the declared routes of the shop, and receives its own codes", async () => {
    const { data } = await client.route("GET /api/reports/best-sellers", { query: { limit: 3, from: "2020-01-01" } });
    expect(data).toHaveLength(3);
    const [pending] = (await client.orders.list({ where: { status: "PENDING" }, fields: ["id"], limit: 1 })).data;
    const rejected = await client
      .route("POST /api/orders/:id/ship", { params: { id: pending?.id ?? 0 } })
      .catch((error: unknown) => error);
    expect(isApiError(rejected, "OrderNotPaid")).toBe(true);
    const [paid] = (await client.orders.list({ where: { status: "PAID" }, fields: ["id"], limit: 1 })).data;
    const shipped = await client.route("POST /api/orders/:id/ship", { params: { id: paid?.id ?? 0 } });
    expect(shipped.data.status).toBe("SHIPPED");
  });

  it("sends files", async () => {
    const letters = [new File(["one"], "one.txt"), new File(["two"], "two.txt")];
    const { data } = await client.upload("documents", letters);
    expect(data.map(({ originalName, size }) => [originalName, size])).toEqual([
      ["one.txt", 3],
      ["two.txt", 3],
    ]);
    const { data: single } = await client.upload("documents", letters.slice(1));
    expect(single.map(({ category }) => category)).toEqual(["documents"]);
  });

  it("reports every place of a rejected request", async () => {
    const wrong = { name: 7 } as unknown as { name: string };
    const rejected = await client.tags.create(wrong).catch((error: unknown) => error);
    expect(rejected).toMatchObject({ code: "ValidationError", errors: [{ in: "body", path: "/name" }] });
  });
});
