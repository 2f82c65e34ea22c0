import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Row } from "./api.js";
import { type Shop, startShop } from "./shop.js";

describe("declared routes", () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await startShop();
  });
  afterAll(() => shop?.close());

  describe("GET /api/reports/best-sellers", () => {
    it("returns the best-selling products, as SQL computes them", async () => {
      const { body } = await shop.call<{ data: Row[] }>("GET", "/api/reports/best-sellers?limit=5");
      const rows = await shop.sql<Row>(
        `SELECT p.id AS "productId", p.sku, p.name, sum(i.quantity)::int AS pieces, sum(i.quantity * i.unit_price)::text AS revenue
         FROM order_items i JOIN products p ON p.id = i.product_id JOIN orders o ON o.id = i.order_id
         WHERE o.status NOT IN ('CANCELLED', 'sent-back')
         GROUP BY p.id ORDER BY sum(i.quantity) DESC, sum(i.quantity * i.unit_price) DESC, p.id LIMIT 5`,
      );
      expect(body.data).toEqual(rows);
    });

    it("accepts a period that includes its last day", async () => {
      const path = "/api/reports/best-sellers?from=2025-03-01&until=2025-03-31&limit=100";
      const { body } = await shop.call<{ data: Row[] }>("GET", path);
      const pieces = body.data.reduce((sum, row) => sum + Number(row.pieces), 0);
      expect(String(pieces)).toBe(
        await shop.value(
          `SELECT sum(i.quantity)::int FROM order_items i JOIN orders o ON o.id = i.order_id
           WHERE o.status NOT IN ('CANCELLED', 'sent-back') AND o.placed_at >= '2025-03-01' AND o.placed_at < '2025-04-01'`,
        ),
      );
    });

    it.each([
      ["limit=0", "/limit"],
      ["limit=101", "/limit"],
      ["limit=many", "/limit"],
      ["from=2025-02-30", "/from"],
      ["until=soon", "/until"],
      ["from=2025-06-01&until=2025-05-01", "/until"],
      ["form=2025-01-01", "/form"],
    ])("C3 rejects %s and names it", async (query, path) => {
      const { code, errors } = await shop.rejected(400, "GET", `/api/reports/best-sellers?${query}`);
      expect(code).toBe("ValidationError");
      expect(errors).toEqual([expect.objectContaining({ in: "query", path })]);
    });
  });

  describe("POST /api/orders/:id/ship", () => {
    it("ships a paid order: status, date, stock and movements", async () => {
      const id = await shop.value("SELECT id FROM orders WHERE status = 'PAID' ORDER BY id LIMIT 1");
      const sold = await shop.sql<Row>(
        `SELECT p.id, p.stock, i.quantity FROM order_items i JOIN products p ON p.id = i.product_id WHERE i.order_id = ${id}`,
      );
      const before = Date.now();
      const order = await shop.one("POST", `/api/orders/${id}/ship`, {});
      expect(order).toMatchObject({ id: Number(id), status: "SHIPPED" });
      expect(new Date(String(order.shippedAt)).getTime()).toBeGreaterThanOrEqual(before);
      expect(await shop.one("GET", `/api/orders/${id}`)).toMatchObject(order);
      for (const row of sold) {
        const stock = await shop.value(`SELECT stock FROM products WHERE id = ${row.id}`);
        expect(Number(stock)).toBe(Number(row.stock) - Number(row.quantity));
      }
      expect(
        await shop.value(`SELECT count(*)::int FROM stock_movements WHERE note = 'order ${order.reference}'`),
      ).toBe(String(sold.length));
      expect((await shop.rejected(409, "POST", `/api/orders/${id}/ship`, {})).code).toBe("OrderNotPaid");
    });

    it("ships an order once for ten concurrent requests", async () => {
      const id = await shop.value("SELECT id FROM orders WHERE status = 'PAID' ORDER BY id LIMIT 1");
      const responses = await Promise.all(
        Array.from({ length: 10 }, () => shop.call("POST", `/api/orders/${id}/ship`, {})),
      );
      expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 9 }, () => 409)]);
    });

    it("returns 409 for an unpaid order, and if the stock is too low", async () => {
      const pending = await shop.value("SELECT id FROM orders WHERE status = 'PENDING' LIMIT 1");
      expect((await shop.rejected(409, "POST", `/api/orders/${pending}/ship`, {})).code).toBe("OrderNotPaid");
      const id = await shop.value("SELECT id FROM orders WHERE status = 'PAID' ORDER BY id DESC LIMIT 1");
      await shop.sql(
        `UPDATE products SET stock = 0 WHERE id IN (SELECT product_id FROM order_items WHERE order_id = ${id})`,
      );
      expect((await shop.rejected(409, "POST", `/api/orders/${id}/ship`, {})).code).toBe("OutOfStock");
      expect(await shop.value(`SELECT status::text FROM orders WHERE id = ${id}`)).toBe("PAID");
    });

    it("returns 404 for a missing order, and 400 for an id that is not a number", async () => {
      await shop.rejected(404, "POST", "/api/orders/999999/ship", {});
      const { errors } = await shop.rejected(400, "POST", "/api/orders/abc/ship", {});
      expect(errors).toEqual([expect.objectContaining({ in: "params", path: "/id" })]);
    });
  });

  it("C5 exists next to the generated routes", async () => {
    expect((await shop.call("DELETE", "/api/orders/1/ship")).status).toBe(405);
    expect((await shop.call("POST", "/api/reports/best-sellers", {})).status).toBe(405);
  });
});
