import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeShopClient, type ShopClient } from "../../example-client/src/index.js";
import { type Shop, startShop } from "./shop.js";

/** The complete flow of a client generated from the document; `tsc` checks every line of it. */
describe("C47 a typed client generated from the document", () => {
  let shop: Shop;
  let client: ShopClient;
  beforeAll(async () => {
    shop = await startShop();
    client = makeShopClient(shop.url);
  });
  afterAll(() => shop?.close());

  it("creates, reads, lists with filters, updates and deletes without a cast", async () => {
    const { data: created, response } = await client.POST("/api/products", {
      body: { sku: "TST-0001", name: "Tin Mug", price: "12.50", categoryId: 1, channels: ["WEB"], keywords: ["tin"] },
    });
    expect(response.status).toBe(201);
    const product = created?.data;
    if (product === undefined) return expect.fail(await response.text());
    expect(product).toMatchObject({ sku: "TST-0001", price: "12.50", status: "DRAFT", stock: 0 });

    const id = String(product.id);
    const { data: read } = await client.GET("/api/products/{id}", {
      params: { path: { id }, query: { include: "category", fields: "sku,price" } },
    });
    expect(read?.data).toMatchObject({ sku: "TST-0001", price: "12.50", category: { id: 1 } });

    const { data: list } = await client.GET("/api/products", {
      params: {
        query: {
          sku: { in: "TST-0001,TST-0002" },
          price: { gte: "12" },
          name: { icontains: "tin" },
          sort: "-price",
          limit: 5,
        },
      },
    });
    expect(list?.data.map(({ sku }) => sku)).toEqual(["TST-0001"]);
    expect(list?.meta).toMatchObject({ total: 1, count: 1, limit: 5, page: 1 });

    const { data: updated, response: changed } = await client.PATCH("/api/products/{id}", {
      params: { path: { id }, header: { "If-Match": response.headers.get("etag") ?? "" } },
      body: { price: 11, status: "ACTIVE" },
    });
    expect(changed.status).toBe(200);
    expect(updated?.data).toMatchObject({ price: "11.00", status: "ACTIVE" });

    const { response: deleted } = await client.DELETE("/api/products/{id}", { params: { path: { id } } });
    expect(deleted.status).toBe(204);
    const { error, response: absent } = await client.GET("/api/products/{id}", { params: { path: { id } } });
    expect(absent.status).toBe(404);
    expect(error?.code).toBe("NotFound");
  });

  it("receives the problem of a rejected request as a value", async () => {
    const { error, data } = await client.GET("/api/products", { params: { query: { page: 0 } } });
    expect(data).toBeUndefined();
    expect(error).toMatchObject({ status: 400, code: "ValidationError", errors: [{ in: "query", path: "/page" }] });
  });

  it("calls the shop's own declared routes", async () => {
    const { data } = await client.GET("/api/reports/best-sellers", { params: { query: { limit: 3 } } });
    expect(data?.data).toHaveLength(3);
    expect(data?.data[0]?.revenue).toMatch(/^\d+(\.\d+)?$/);
  });
});
