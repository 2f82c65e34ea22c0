import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Row } from "./api.js";
import { type Shop, startShop } from "./shop.js";

describe("errors", () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await startShop();
  });
  afterAll(() => shop?.close());

  const product = { sku: "E-1", name: "Error", price: "1.00", categoryId: 2 };

  describe("C17 of the database", () => {
    it("are 409 UniqueConstraint with the field", async () => {
      const { code, errors } = await shop.rejected(409, "POST", "/api/products", { ...product, sku: "HP-000037" });
      expect(code).toBe("UniqueConstraint");
      expect(errors).toEqual([expect.objectContaining({ in: "body", path: "/sku" })]);
      await shop.rejected(409, "PATCH", "/api/products/2", { sku: "HP-000037" });
    });

    it("name every field of a compound unique key", async () => {
      const [review] = await shop.sql<Row>("SELECT product_id, customer_id::text FROM reviews LIMIT 1");
      const body = { rating: 5, body: "Again!", productId: review?.product_id, customerId: review?.customer_id };
      const { errors } = await shop.rejected(409, "POST", "/api/reviews", body);
      expect(errors?.map(({ path }) => path).sort()).toEqual(["/customerId", "/productId"]);
    });

    it("name a duplicate id", async () => {
      const setting = await shop.rejected(409, "POST", "/api/settings", { key: "shop.name", value: 1 });
      expect(setting.errors).toEqual([expect.objectContaining({ path: "/key" })]);
      const item = { orderId: 1, line: 1, quantity: 1, unitPrice: 1, productId: 1 };
      const { errors } = await shop.rejected(409, "POST", "/api/order-items", item);
      expect(errors?.map(({ path }) => path).sort()).toEqual(["/line", "/orderId"]);
    });

    it("are 409 for the second row of a one-to-one relation", async () => {
      const order = Number(await shop.value("SELECT order_id FROM payments LIMIT 1"));
      const body = { method: "CARD", amountCents: 1, paidAt: "2025-06-01T00:00:00Z", orderId: order };
      expect((await shop.rejected(409, "POST", "/api/payments", body)).code).toBe("UniqueConstraint");
    });

    it("are 400 RelatedRecordNotFound for a missing related row", async () => {
      const created = await shop.rejected(400, "POST", "/api/products", { ...product, categoryId: 99_999 });
      expect(created.code).toBe("RelatedRecordNotFound");
      expect((await shop.rejected(400, "PATCH", "/api/products/2", { categoryId: 99_999 })).code).toBe(
        "RelatedRecordNotFound",
      );
    });

    it("are 409 ForeignKeyConstraint for a referenced row", async () => {
      const sold = await shop.value("SELECT product_id FROM order_items LIMIT 1");
      expect((await shop.rejected(409, "DELETE", `/api/products/${sold}`)).code).toBe("ForeignKeyConstraint");
      expect((await shop.rejected(409, "DELETE", "/api/categories/1")).code).toBe("ForeignKeyConstraint");
    });

    it("do not occur for cascading deletes", async () => {
      await shop.one("POST", "/api/products", product);
      const { id } = (await shop.list("/api/products?sku=E-1")).data[0] ?? {};
      await shop.one("POST", "/api/product-images", { position: 1, thumbnail: "AAAA", productId: id });
      expect((await shop.call("DELETE", `/api/products/${id}`)).status).toBe(204);
      expect(await shop.value(`SELECT count(*)::int FROM product_images WHERE product_id = ${id}`)).toBe("0");
    });

    it("do not occur for references that the schema sets to null", async () => {
      const orders = await shop.sql<Row>("SELECT id FROM orders WHERE coupon_code = 'SPRING15'");
      expect(orders.length).toBeGreaterThan(0);
      expect((await shop.call("DELETE", "/api/coupons/SPRING15")).status).toBe(204);
      expect(await shop.one("GET", `/api/orders/${orders[0]?.id}`)).toMatchObject({ couponCode: null });
    });

    it("are 404 NotFound for a missing row, in every operation", async () => {
      await shop.rejected(404, "GET", "/api/products/99999");
      await shop.rejected(404, "PATCH", "/api/products/99999", { name: "x" });
      await shop.rejected(404, "DELETE", "/api/products/99999");
    });

    it("let one of twenty equal creates succeed", async () => {
      const responses = await Promise.all(
        Array.from({ length: 20 }, () => shop.call("POST", "/api/tags", { name: "only once" })),
      );
      const statuses = responses.map(({ status }) => status).sort();
      expect(statuses).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
    });

    it("allow a name once per category", async () => {
      const supplier = {
        name: "Kiln Street Pottery",
        country: await shop.value("SELECT country FROM suppliers WHERE name = 'Kiln Street Pottery' LIMIT 1"),
      };
      const { errors } = await shop.rejected(409, "POST", "/api/suppliers", supplier);
      expect(errors?.map(({ path }) => path).sort()).toEqual(["/country", "/name"]);
    });
  });

  describe("C5 of HTTP", () => {
    it("are 404 for an unknown path", async () => {
      expect((await shop.rejected(404, "GET", "/api/nothing")).code).toBe("NotFound");
      await shop.rejected(404, "GET", "/api/products/1/nothing");
      await shop.rejected(404, "GET", "/");
    });

    it("are 405 with Allow for an unsupported method of a path", async () => {
      const reply = await shop.call("PUT", "/api/products/1", {});
      expect(reply.status).toBe(405);
      const allow = (reply.headers.get("allow") ?? "").split(/,\s*/);
      expect(allow).toEqual(expect.arrayContaining(["GET", "HEAD", "PATCH", "DELETE"]));
      expect(allow).not.toContain("PUT");
      await shop.rejected(405, "DELETE", "/api/products");
    });

    it("are 415 for a body with an unsupported media type or charset", async () => {
      const body = JSON.stringify(product);
      for (const type of ["text/plain", "application/xml", "application/x-www-form-urlencoded"]) {
        expect((await shop.call("POST", "/api/products", body, { "content-type": type })).status).toBe(415);
      }
      const latin = { "content-type": "application/json; charset=iso-8859-1" };
      expect((await shop.call("POST", "/api/products", body, latin)).status).toBe(415);
      const utf8 = { "content-type": "application/json; charset=utf-8" };
      expect((await shop.call("POST", "/api/products", body, utf8)).status).toBe(201);
      await shop.call("DELETE", "/api/products/many?sku=E-1");
    });

    it("are 406 if JSON is excluded", async () => {
      expect((await shop.call("GET", "/api/products", undefined, { accept: "text/html" })).status).toBe(406);
      for (const accept of ["*/*", "application/*", "text/html, application/json;q=0.5"]) {
        expect((await shop.call("GET", "/api/tags/1", undefined, { accept })).status).toBe(200);
      }
    });

    it("are 400 for invalid UTF-8 and for a truncated body", async () => {
      const bytes = Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);
      const response = await fetch(`${shop.url}/api/products/1`, {
        method: "PATCH",
        headers: { "content-type": "application/json" },
        body: bytes,
      });
      expect(response.status).toBe(400);
      await shop.rejected(400, "PATCH", "/api/products/1", '{"name": "x');
    });

    it("are 413 for a body over a megabyte", async () => {
      await shop.rejected(413, "PATCH", "/api/products/1", { description: "x".repeat(1_100_000) });
    });

    it("are 400 for an invalid percent encoding in the path", async () => {
      await shop.rejected(400, "GET", "/api/products/%ff");
    });
  });

  it("C3 contain the same for anonymous clients in every case", async () => {
    await shop.rejected(400, "GET", "/api/products?limit=x");
    await shop.rejected(404, "GET", "/api/%6eothing");
    await shop.rejected(400, "POST", "/api/products", "{");
  });
});
