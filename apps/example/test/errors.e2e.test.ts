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
    it("says 409 UniqueConstraint and names the field", async () => {
      const { code, errors } = await shop.refused(409, "POST", "/api/products", { ...product, sku: "HP-000037" });
      expect(code).toBe("UniqueConstraint");
      expect(errors).toEqual([expect.objectContaining({ in: "body", path: "/sku" })]);
      await shop.refused(409, "PATCH", "/api/products/2", { sku: "HP-000037" });
    });

    it("names every field of a composite unique", async () => {
      const [review] = await shop.sql<Row>("SELECT product_id, customer_id::text FROM reviews LIMIT 1");
      const body = { rating: 5, body: "Again!", productId: review?.product_id, customerId: review?.customer_id };
      const { errors } = await shop.refused(409, "POST", "/api/reviews", body);
      expect(errors?.map(({ path }) => path).sort()).toEqual(["/customerId", "/productId"]);
    });

    it("names the id when that is taken", async () => {
      const setting = await shop.refused(409, "POST", "/api/settings", { key: "shop.name", value: 1 });
      expect(setting.errors).toEqual([expect.objectContaining({ path: "/key" })]);
      const item = { orderId: 1, line: 1, quantity: 1, unitPrice: 1, productId: 1 };
      const { errors } = await shop.refused(409, "POST", "/api/order-items", item);
      expect(errors?.map(({ path }) => path).sort()).toEqual(["/line", "/orderId"]);
    });

    it("says 409 for the second of a one-to-one", async () => {
      const order = Number(await shop.value("SELECT order_id FROM payments LIMIT 1"));
      const body = { method: "CARD", amountCents: 1, paidAt: "2025-06-01T00:00:00Z", orderId: order };
      expect((await shop.refused(409, "POST", "/api/payments", body)).code).toBe("UniqueConstraint");
    });

    it("says 400 RelatedRecordNotFound for a missing related row", async () => {
      const created = await shop.refused(400, "POST", "/api/products", { ...product, categoryId: 99_999 });
      expect(created.code).toBe("RelatedRecordNotFound");
      expect((await shop.refused(400, "PATCH", "/api/products/2", { categoryId: 99_999 })).code).toBe(
        "RelatedRecordNotFound",
      );
    });

    it("says 409 ForeignKeyConstraint when others refer to the row", async () => {
      const sold = await shop.value("SELECT product_id FROM order_items LIMIT 1");
      expect((await shop.refused(409, "DELETE", `/api/products/${sold}`)).code).toBe("ForeignKeyConstraint");
      expect((await shop.refused(409, "DELETE", "/api/categories/1")).code).toBe("ForeignKeyConstraint");
    });

    it("deletes what the schema says goes along", async () => {
      await shop.one("POST", "/api/products", product);
      const { id } = (await shop.list("/api/products?sku=E-1")).data[0] ?? {};
      await shop.one("POST", "/api/product-images", { position: 1, thumbnail: "AAAA", productId: id });
      expect((await shop.call("DELETE", `/api/products/${id}`)).status).toBe(204);
      expect(await shop.value(`SELECT count(*)::int FROM product_images WHERE product_id = ${id}`)).toBe("0");
    });

    it("empties the reference where the schema says so", async () => {
      const orders = await shop.sql<Row>("SELECT id FROM orders WHERE coupon_code = 'SPRING15'");
      expect(orders.length).toBeGreaterThan(0);
      expect((await shop.call("DELETE", "/api/coupons/SPRING15")).status).toBe(204);
      expect(await shop.one("GET", `/api/orders/${orders[0]?.id}`)).toMatchObject({ couponCode: null });
    });

    it("says 404 NotFound for a missing row, whatever is asked of it", async () => {
      await shop.refused(404, "GET", "/api/products/99999");
      await shop.refused(404, "PATCH", "/api/products/99999", { name: "x" });
      await shop.refused(404, "DELETE", "/api/products/99999");
    });

    it("lets one of twenty equal creates win", async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => shop.call("POST", "/api/tags", { name: "only once" })),
      );
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
    });

    it("names one row by its name at most once in a category", async () => {
      const supplier = {
        name: "Kiln Street Pottery",
        country: await shop.value("SELECT country FROM suppliers WHERE name = 'Kiln Street Pottery' LIMIT 1"),
      };
      const { errors } = await shop.refused(409, "POST", "/api/suppliers", supplier);
      expect(errors?.map(({ path }) => path).sort()).toEqual(["/country", "/name"]);
    });
  });

  describe("C5 of HTTP", () => {
    it("says 404 for a path that does not exist", async () => {
      expect((await shop.refused(404, "GET", "/api/nothing")).code).toBe("NotFound");
      await shop.refused(404, "GET", "/api/products/1/nothing");
      await shop.refused(404, "GET", "/");
    });

    it("says 405 with Allow for another method on a path that does", async () => {
      const answer = await shop.call("PUT", "/api/products/1", {});
      expect(answer.status).toBe(405);
      const allow = (answer.headers.get("allow") ?? "").split(/,\s*/);
      expect(allow).toEqual(expect.arrayContaining(["GET", "HEAD", "PATCH", "DELETE"]));
      expect(allow).not.toContain("PUT");
      await shop.refused(405, "DELETE", "/api/products");
    });

    it("says 415 for a body in another media type or charset", async () => {
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

    it("says 406 when JSON is excluded", async () => {
      expect((await shop.call("GET", "/api/products", undefined, { accept: "text/html" })).status).toBe(406);
      for (const accept of ["*/*", "application/*", "text/html, application/json;q=0.5"]) {
        expect((await shop.call("GET", "/api/tags/1", undefined, { accept })).status).toBe(200);
      }
    });

    it("says 400 for invalid UTF-8 and for a body cut short", async () => {
      const bytes = Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);
      const response = await fetch(`${shop.url}/api/products/1`, {
        method: "PATCH",
        headers: { "content-type": "application/json" },
        body: bytes,
      });
      expect(response.status).toBe(400);
      await shop.refused(400, "PATCH", "/api/products/1", '{"name": "x');
    });

    it("says 413 for a body over a megabyte", async () => {
      await shop.refused(413, "PATCH", "/api/products/1", { description: "x".repeat(1_100_000) });
    });

    it("says 400 for a broken percent code in the path", async () => {
      await shop.refused(400, "GET", "/api/products/%ff");
    });
  });

  it("C3 tells the same to a stranger in every fault", async () => {
    await shop.refused(400, "GET", "/api/products?limit=x");
    await shop.refused(404, "GET", "/api/%6eothing");
    await shop.refused(400, "POST", "/api/products", "{");
  });
});
