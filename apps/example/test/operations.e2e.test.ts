import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Row } from "./api.js";
import { type Shop, startShop } from "./shop.js";

describe("the eight operations", () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await startShop();
  });
  afterAll(() => shop?.close());

  const supplier = { name: "Test & Sons", country: "PT", phones: ["+351 22 000"], reliability: 0.75 };

  it("C1 list with data and meta, with the numbers of SQL", async () => {
    const { data, meta } = await shop.list("/api/orders");
    expect(data).toHaveLength(20);
    const total = Number(await shop.value("SELECT count(*)::int FROM orders"));
    expect(meta).toEqual({ total, count: 20, limit: 20, page: 1, pages: Math.ceil(total / 20) });
  });

  it("C1 return first, prev, next and last in the Link header", async () => {
    const { headers } = await shop.list("/api/tags?limit=5&page=2&sort=name");
    const links = new Map(
      [...(headers.get("link") ?? "").matchAll(/<([^>]*)>;\s*rel="?(\w+)"?/g)].map(([, link, rel]) => [rel, link]),
    );
    expect([...links.keys()].sort()).toEqual(["first", "last", "next", "prev"]);
    const next = new URL(links.get("next") ?? "", shop.url);
    expect(Object.fromEntries(next.searchParams)).toMatchObject({ limit: "5", page: "3", sort: "name" });
    const { data } = await shop.list(next.pathname + next.search);
    const third = await shop.sql<Row>(`SELECT name FROM tags ORDER BY name COLLATE "C" LIMIT 5 OFFSET 10`);
    expect(data.map(({ name }) => name)).toEqual(third.map(({ name }) => name));
    const first = await shop.list("/api/tags?limit=5");
    expect(first.headers.get("link")).not.toContain("prev");
  });

  it("C2 create with 201 and the Location of the row", async () => {
    const response = await shop.call<{ data: Row }>("POST", "/api/suppliers", supplier);
    expect(response.status).toBe(201);
    expect(response.body.data).toMatchObject({ ...supplier, email: null, isActive: true });
    const location = new URL(response.headers.get("location") ?? "", shop.url);
    expect(location.pathname).toBe(`/api/suppliers/${response.body.data.id}`);
    expect(await shop.one("GET", location.pathname)).toEqual(response.body.data);
    expect(await shop.value(`SELECT reliability FROM suppliers WHERE name = 'Test & Sons'`)).toBe("0.75");
  });

  it("C2 read with 200", async () => {
    const response = await shop.call<{ data: Row }>("GET", "/api/products/11");
    expect(response.status).toBe(200);
    expect(Object.keys(response.body)).toEqual(["data"]);
    expect(response.body.data).toMatchObject({ id: 11, sku: "HP-000407", name: "Fjord Dome Tent" });
  });

  it("C2 update with 200 and write only what was sent", async () => {
    const before = await shop.one("GET", "/api/products/12");
    const response = await shop.call<{ data: Row }>("PATCH", "/api/products/12", { price: "59.25", description: null });
    expect(response.status).toBe(200);
    const { updatedAt, ...rest } = response.body.data;
    const { updatedAt: updatedBefore, ...restBefore } = before;
    expect(rest).toEqual({ ...restBefore, price: "59.25", description: null });
    expect(new Date(String(updatedAt)).getTime()).toBeGreaterThan(new Date(String(updatedBefore)).getTime());
    expect(await shop.one("GET", "/api/products/12")).toEqual(response.body.data);
  });

  it("C2 delete with 204 and no body", async () => {
    const { id } = await shop.one("POST", "/api/tags", { name: "short-lived" });
    const response = await shop.call("DELETE", `/api/tags/${id}`);
    expect([response.status, response.text]).toEqual([204, ""]);
    await shop.rejected(404, "GET", `/api/tags/${id}`);
    expect(await shop.value(`SELECT count(*)::int FROM tags WHERE name = 'short-lived'`)).toBe("0");
  });

  it("C2, C14 create, update and delete many", async () => {
    const created = await shop.call<{ data: Row[]; meta: Row }>("POST", "/api/tags/many", [
      { name: "many-1" },
      { name: "many-2" },
    ]);
    expect(created.status).toBe(201);
    expect(created.body.meta).toEqual({ count: 2 });
    expect(created.body.data.map(({ name }) => name)).toEqual(["many-1", "many-2"]);
    const ids = created.body.data.map(({ id }) => id);

    const updated = await shop.call<{ data: Row[]; meta: Row }>(
      "PATCH",
      "/api/tags/many",
      ids.map((id) => ({ id, name: `changed-${id}` })),
    );
    expect(updated.status).toBe(200);
    expect(updated.body).toEqual({ data: ids.map((id) => ({ id, name: `changed-${id}` })), meta: { count: 2 } });

    const deleted = await shop.call("DELETE", "/api/tags/many", { ids });
    expect([deleted.status, deleted.body]).toEqual([200, { meta: { count: 2 } }]);
    expect(await shop.value(`SELECT count(*)::int FROM tags WHERE name LIKE 'changed-%'`)).toBe("0");
  });

  it("C6 serve every model under its kebab-case plural", async () => {
    const paths = {
      settings: "settings",
      suppliers: "suppliers",
      categories: "categories",
      tags: "tags",
      products: "products",
      "product-images": "product_images",
      "product-suppliers": "product_suppliers",
      customers: "customers",
      addresses: "addresses",
      coupons: "coupons",
      orders: "orders",
      "order-items": "order_items",
      payments: "payments",
      reviews: "reviews",
      "stock-movements": "stock_movements",
    };
    for (const [path, table] of Object.entries(paths)) {
      const { meta } = await shop.list(`/api/${path}?limit=1`);
      expect([path, meta.total]).toEqual([path, Number(await shop.value(`SELECT count(*)::int FROM ${table}`))]);
    }
  });

  it("C1 include a welcome endpoint with nothing but a message", async () => {
    const { status, body } = await shop.call("GET", "/api");
    expect([status, body]).toEqual([200, { message: expect.stringContaining("Harbour & Pine") }]);
  });

  it("C5 handle HEAD like GET without a body, and OPTIONS with Allow", async () => {
    for (const path of ["/api/products", "/api/products/1", "/api/products?sort=-price&limit=3"]) {
      const head = await shop.call("HEAD", path);
      expect([head.status, head.text]).toEqual([200, ""]);
      expect(head.headers.get("content-type")).toMatch(/^application\/json/);
    }
    const words = (allow: string | null) => (allow ?? "").split(/,\s*/).sort();
    const list = await shop.call("OPTIONS", "/api/products");
    expect([200, 204]).toContain(list.status);
    expect(words(list.headers.get("allow"))).toEqual(expect.arrayContaining(["GET", "HEAD", "POST"]));
    const many = await shop.call("OPTIONS", "/api/products/many");
    expect(words(many.headers.get("allow"))).toEqual(expect.arrayContaining(["DELETE", "PATCH", "POST"]));
  });

  it("C5 C46 return the same methods of a path in OPTIONS, in 405 and in the available routes", async () => {
    const { body } = await shop.call<{ data: { method: string; path: string }[] }>("GET", "/api/available-routes");
    const methods = new Map<string, Set<string>>();
    for (const { method, path } of body.data) methods.set(path, (methods.get(path) ?? new Set()).add(method));
    expect(methods.size).toBeGreaterThan(40);
    for (const [path, found] of methods) {
      // The path of a bulk route is also that of a row with the id `many`: a read is one of the row.
      const single = methods.get(path.replace(/\/many$/, "/:id"));
      const open = new Set([...found, ...(single?.has("GET") ? ["GET"] : [])]);
      const allow = [...open, ...(open.has("GET") ? ["HEAD"] : [])].sort().join(", ");
      const url = path.replace(/:\w+/g, "1").replace(/\*\w+/g, "x");
      for (const [method, status] of [
        ["OPTIONS", 204],
        ["PURGE", 405],
      ] as const) {
        const response = await shop.call(method, url);
        expect([method, path, response.status, response.headers.get("allow")]).toEqual([method, path, status, allow]);
      }
    }
  });

  it("C5 return an X-Request-Id in every response, the client's if it is valid", async () => {
    const mine = await shop.call("GET", "/api/tags/1", undefined, { "x-request-id": "abc-123" });
    expect(mine.headers.get("x-request-id")).toBe("abc-123");
    const made = await shop.call("GET", "/api/tags/1", undefined, { "x-request-id": `${"x".repeat(5000)}` });
    expect(made.headers.get("x-request-id")).toMatch(/^[\w-]{8,64}$/);
  });
});
