import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Meta, Row } from "./api.js";
import { type Shop, startShop } from "./shop.js";

describe("C14 bulk", () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await startShop();
  });
  afterAll(() => shop?.close());

  type Bulk = { readonly data: Row[]; readonly meta: Meta };
  const count = async (table: string, where = "true") =>
    Number(await shop.value(`SELECT count(*)::int FROM ${table} WHERE ${where}`));
  const tags = (word: string, length: number) => Array.from({ length }, (_, at) => ({ name: `${word} ${at}` }));

  describe("create", () => {
    it("accepts an array, or the array as data", async () => {
      const plain = await shop.call<Bulk>("POST", "/api/tags/many", tags("plain", 3));
      const wrapped = await shop.call<Bulk>("POST", "/api/tags/many", { data: tags("wrapped", 3) });
      for (const { status, body } of [plain, wrapped]) {
        expect([status, body.meta, body.data.length]).toEqual([201, { count: 3 }, 3]);
      }
      expect(wrapped.body.data.map(({ name }) => name)).toEqual(tags("wrapped", 3).map(({ name }) => name));
    });

    it("creates 1,000 rows with defaults, and rejects 1,001 with 413", async () => {
      const response = await shop.call<Bulk>("POST", "/api/tags/many", tags("thousand", 1000));
      expect([response.status, response.body.data.length]).toEqual([201, 1000]);
      expect(await count("tags", "name LIKE 'thousand %'")).toBe(1000);
      await shop.rejected(413, "POST", "/api/tags/many", tags("too many", 1001));
      expect(await count("tags", "name LIKE 'too many %'")).toBe(0);
    });

    it("names the invalid item, and creates none", async () => {
      const rows: object[] = tags("faulty", 5);
      rows[3] = { name: 5 };
      const { errors } = await shop.rejected(400, "POST", "/api/tags/many", rows);
      expect(errors).toEqual([expect.objectContaining({ in: "body", path: "/3/name" })]);
      expect(await count("tags", "name LIKE 'faulty %'")).toBe(0);
    });

    it("is all or nothing if the database rejects one", async () => {
      const rows = [...tags("clash", 5), { name: "bestseller" }];
      expect((await shop.rejected(409, "POST", "/api/tags/many", rows)).code).toBe("UniqueConstraint");
      expect(await count("tags", "name LIKE 'clash %'")).toBe(0);
      const items = [
        { orderId: 1, line: 50, quantity: 1, unitPrice: 1, productId: 1 },
        { orderId: 1, line: 51, quantity: 1, unitPrice: 1, productId: 99_999 },
      ];
      expect((await shop.rejected(400, "POST", "/api/order-items/many", items)).code).toBe("RelatedRecordNotFound");
      expect(await count("order_items", "line >= 50")).toBe(0);
    });

    it("stores every kind of value", async () => {
      const { body } = await shop.call<Bulk>("POST", "/api/products/many", [
        {
          sku: "B-1",
          name: "One",
          price: "1.15",
          categoryId: 2,
          attributes: { a: null },
          channels: [],
          keywords: ["x"],
        },
        { sku: "B-2", name: "Two", price: 2, categoryId: 2, attributes: null, releasedOn: "2025-05-05", weight: 0.3 },
        { sku: "B-3", name: "Three", price: "3.00", categoryId: 2 },
      ]);
      expect(body.data).toMatchObject([
        { price: "1.15", attributes: { a: null }, channels: [], keywords: ["x"] },
        {
          price: expect.stringMatching(/^2(\.00)?$/),
          attributes: null,
          channels: ["WEB"],
          releasedOn: "2025-05-05T00:00:00.000Z",
          weight: 0.3,
        },
        { price: expect.stringMatching(/^3(\.00)?$/), attributes: null, channels: ["WEB"], status: "DRAFT" },
      ]);
      expect(await count("products", "sku LIKE 'B-_' AND attributes IS NULL")).toBe(2);
    });

    it.each([["{}"], ['{"data": {}}'], ["null"], ['"x"'], ["[1]"], ["[null]"], ["[[]]"]])(
      "rejects %s",
      async (body) => {
        await shop.rejected(400, "POST", "/api/tags/many", body);
      },
    );
  });

  describe("update", () => {
    it("updates each row of a list with its own values", async () => {
      const response = await shop.call<Bulk>("PATCH", "/api/products/many", [
        { id: 21, price: "21.21" },
        { id: 22, name: "Twenty-two", description: null },
      ]);
      expect([response.status, response.body.meta]).toEqual([200, { count: 2 }]);
      expect(response.body.data).toMatchObject([
        { id: 21, price: "21.21" },
        { id: 22, name: "Twenty-two", description: null },
      ]);
      expect(await shop.value("SELECT price::text FROM products WHERE id = 21")).toBe("21.21");
    });

    it("updates all rows that match a filter", async () => {
      const drafts = await count("products", "status = 'DRAFT'");
      const response = await shop.call<Bulk>("PATCH", "/api/products/many?status=DRAFT", { description: "soon" });
      expect([response.status, response.body.meta.count]).toEqual([200, drafts]);
      expect(response.body.data.every((row) => row.description === "soon")).toBe(true);
      expect(await count("products", "description = 'soon'")).toBe(drafts);
    });

    it("changes nothing if one id is missing", async () => {
      const { code } = await shop.rejected(404, "PATCH", "/api/products/many", [
        { id: 23, name: "changed" },
        { id: 999_999, name: "changed" },
      ]);
      expect(code).toBe("NotFound");
      expect(await count("products", "name = 'changed'")).toBe(0);
    });

    it("changes nothing if the database rejects one", async () => {
      await shop.rejected(409, "PATCH", "/api/tags/many", [
        { id: 1, name: "renamed" },
        { id: 2, name: "gift idea" },
      ]);
      expect(await count("tags", "name = 'renamed'")).toBe(0);
    });

    it("names the invalid item", async () => {
      const { errors } = await shop.rejected(400, "PATCH", "/api/products/many", [{ id: 1 }, { id: 2, price: "x" }]);
      expect(errors).toEqual([expect.objectContaining({ in: "body", path: "/1/price" })]);
      const missing = await shop.rejected(400, "PATCH", "/api/products/many", [{ price: "1.00" }]);
      expect(missing.errors).toEqual([expect.objectContaining({ in: "body", path: "/0/id" })]);
    });

    it("rejects an empty list", async () => {
      await shop.rejected(400, "PATCH", "/api/tags/many", []);
      await shop.rejected(400, "POST", "/api/tags/many", []);
    });

    it("rejects a duplicate id, and a list with a filter", async () => {
      const twice = [
        { id: 5, name: "one" },
        { id: 5, name: "other" },
      ];
      await shop.rejected(400, "PATCH", "/api/tags/many", twice);
      await shop.rejected(400, "PATCH", "/api/tags/many?name__startsWith=b", [{ id: 5, name: "one" }]);
      expect(await count("tags", "name IN ('one', 'other')")).toBe(0);
    });

    it("accepts big, text and compound ids", async () => {
      const movements = await shop.call<Bulk>("PATCH", "/api/stock-movements/many", [{ id: "2", note: "two" }]);
      expect(movements.body.data).toMatchObject([{ id: "2", note: "two" }]);
      const items = await shop.call<Bulk>("PATCH", "/api/order-items/many", [{ id: "3,1", quantity: 8 }]);
      expect(items.body.data).toMatchObject([{ orderId: 3, line: 1, quantity: 8 }]);
      const coupons = await shop.call<Bulk>("PATCH", "/api/coupons/many?code__startsWith=S", { usageLimit: 9 });
      expect(coupons.body.meta.count).toBe(2);
    });
  });

  describe("delete", () => {
    it("accepts ids", async () => {
      const { body } = await shop.call<Bulk>("POST", "/api/tags/many", tags("doomed", 3));
      const ids = body.data.map(({ id }) => id);
      const response = await shop.call("DELETE", "/api/tags/many", { ids: [ids[0], String(ids[1])] });
      expect([response.status, response.body]).toEqual([200, { meta: { count: 2 } }]);
      expect(await count("tags", "name LIKE 'doomed %'")).toBe(1);
    });

    it("accepts a filter", async () => {
      await shop.call("POST", "/api/tags/many", tags("filtered", 4));
      const response = await shop.call("DELETE", "/api/tags/many?name__startsWith=filtered");
      expect([response.status, response.body]).toEqual([200, { meta: { count: 4 } }]);
      expect(await count("tags", "name LIKE 'filtered %'")).toBe(0);
    });

    it("accepts compound ids as in a path", async () => {
      const items = [51, 52].map((line) => ({ orderId: 2, line, quantity: 1, unitPrice: "1.00", productId: 1 }));
      await shop.call("POST", "/api/order-items/many", items);
      const response = await shop.call("DELETE", "/api/order-items/many", { ids: ["2,51", "2,52"] });
      expect(response.body).toEqual({ meta: { count: 2 } });
      expect(await count("order_items", "line > 50")).toBe(0);
    });

    it("deletes nothing if one id is missing or one row is referenced", async () => {
      const before = await count("products");
      await shop.rejected(404, "DELETE", "/api/tags/many", { ids: [3, 999_999] });
      expect(await count("tags", "id = 3")).toBe(1);
      const product = await shop.value("SELECT product_id FROM order_items LIMIT 1");
      const { id } = await shop.one("POST", "/api/products", { sku: "D", name: "D", price: 1, categoryId: 2 });
      const { code } = await shop.rejected(409, "DELETE", "/api/products/many", { ids: [id, Number(product)] });
      expect(code).toBe("ForeignKeyConstraint");
      expect(await count("products")).toBe(before + 1);
    });
  });

  describe("without a criterion", () => {
    const queries = [
      "",
      "?limit=5",
      "?page=1",
      "?sort=id",
      "?name=",
      "?name__contains=",
      "?name__isNull=false",
      "?id__not=null",
      "?or[0][name__contains]=",
      "?fields=id",
    ];
    it.each(queries)("rejects PATCH and DELETE /many%s, and changes nothing", async (query) => {
      const before = await count("products");
      const changed = await shop.rejected(400, "PATCH", `/api/products/many${query}`, {
        description: `harmed by ${query}`,
      });
      const deleted = await shop.rejected(400, "DELETE", `/api/products/many${query}`);
      expect(await count("products")).toBe(before);
      expect(await count("products", `description = 'harmed by ${query}'`)).toBe(0);
      if (["", "?limit=5", "?page=1", "?sort=id"].includes(query)) {
        expect([changed.code, deleted.code]).toEqual(["MissingFilter", "MissingFilter"]);
      }
    });

    it.each(["?id=undefined", "?id[]=", "?id=", "?id=null", "?nope=1", "?id__in=", "?or[]="])(
      "rejects DELETE /many%s",
      async (query) => {
        const before = await count("products");
        await shop.rejected(400, "DELETE", `/api/products/many${query}`);
        expect(await count("products")).toBe(before);
      },
    );

    it.each([
      ['{"ids": []}'],
      ['{"ids": [null]}'],
      ['{"ids": [{}]}'],
      ['{"ids": [{"not": 0}]}'],
      ['{"ids": {}}'],
      ['{"ids": "1"}'],
      ['{"ids": [1.5]}'],
      ["{}"],
      ["[]"],
    ])("rejects deleting %s", async (body) => {
      const before = await count("products");
      const { status } = await shop.call("DELETE", "/api/products/many", body);
      expect([400, 404]).toContain(status);
      expect(await count("products")).toBe(before);
    });

    it("does not accept a hidden field as a criterion", async () => {
      await shop.rejected(400, "DELETE", "/api/products/many?purchasePrice__gte=0");
    });
  });
});
