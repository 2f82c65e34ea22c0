import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Row } from "./api.js";
import { type Shop, startShop } from "./shop.js";

describe("C8 lists", () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await startShop();
    await shop.sql(
      "INSERT INTO stock_movements (reason, quantity, product_id) SELECT 'STOCKTAKE', n, 262 FROM generate_series(1, 130) n",
    );
  });
  afterAll(() => shop?.close());

  const ids = (rows: readonly Row[]) => rows.map(({ id }) => id);
  const sqlIds = async (statement: string) => ids(await shop.sql<Row>(statement));

  describe("sorting", () => {
    const orders: readonly (readonly [sort: string, order: string])[] = [
      ["-price,name", "price DESC, name, id"],
      ["price", "price, id"],
      ["status,-stock", "status, stock DESC, id"],
      ["weight", "weight, id"],
      ["-weight", "weight DESC, id"],
      ["releasedOn", "released_on, id"],
      ["-createdAt", "created_at DESC, id"],
      ["-id", "id DESC"],
      ["category.name", "(SELECT name FROM categories c WHERE c.id = category_id), id"],
      ["-category.name,-price", "(SELECT name FROM categories c WHERE c.id = category_id) DESC, price DESC, id"],
    ];
    it.each(orders)("sorts by %s like SQL", async (sort, order) => {
      const { data } = await shop.list(`/api/products?sort=${sort}&limit=100`);
      expect(ids(data)).toEqual(await sqlIds(`SELECT id FROM products ORDER BY ${order} LIMIT 100`));
    });

    it("has stable pages if many rows are equal in the sort", async () => {
      const seen: unknown[] = [];
      for (let page = 1; page <= 14; page += 1) {
        seen.push(...ids((await shop.list(`/api/products?sort=status&limit=20&page=${page}`)).data));
      }
      expect(seen).toEqual(await sqlIds("SELECT id FROM products ORDER BY status, id"));
    });

    it.each(["nope", "-nope", "category.nope", "category", "tags.name", "purchasePrice", "-purchasePrice", "name,,id"])(
      "rejects sort=%s",
      async (sort) => {
        const { errors } = await shop.rejected(400, "GET", `/api/products?sort=${sort}`);
        expect(errors?.[0]).toMatchObject({ in: "query" });
      },
    );

    it("C11 rejects a hidden field of a related model", async () => {
      await shop.rejected(400, "GET", "/api/order-items?sort=product.purchasePrice");
    });

    it("C20 accepts five keys and rejects six", async () => {
      await shop.list("/api/products?sort=status,price,stock,name,sku");
      await shop.rejected(400, "GET", "/api/products?sort=status,price,stock,name,sku,weight");
    });
  });

  describe("paging", () => {
    it("accepts page and limit, and returns them in meta", async () => {
      const { data, meta } = await shop.list("/api/orders?sort=-total&page=3&limit=7");
      expect(ids(data)).toEqual(await sqlIds("SELECT id FROM orders ORDER BY total DESC, id LIMIT 7 OFFSET 14"));
      const total = Number(await shop.value("SELECT count(*)::int FROM orders"));
      expect(meta).toEqual({ total, count: 7, limit: 7, page: 3, pages: Math.ceil(total / 7) });
    });

    it("returns an empty page after the last", async () => {
      const { data, meta } = await shop.list("/api/tags?page=1000");
      expect([data, meta.count, meta.total]).toEqual([[], 0, 24]);
    });

    it("adds up to the table: the sum of all totals is the sum of SQL", async () => {
      let cents = 0;
      const { meta } = await shop.list("/api/orders?limit=100");
      for (let page = 1; page <= (meta.pages ?? 0); page += 1) {
        const { data } = await shop.list(`/api/orders?limit=100&page=${page}&fields=total`);
        for (const { total } of data) cents += Math.round(Number(total) * 100);
      }
      expect((cents / 100).toFixed(2)).toBe(await shop.value("SELECT sum(total)::text FROM orders"));
    });

    it("omits the total with count=false", async () => {
      const { meta } = await shop.list("/api/orders?count=false&limit=5");
      expect(meta).not.toHaveProperty("total");
      expect(meta).not.toHaveProperty("pages");
      expect(meta).toMatchObject({ count: 5, limit: 5 });
    });

    it.each([
      "limit=0",
      "limit=101",
      "limit=-1",
      "limit=1.5",
      "limit=abc",
      "limit=",
      "limit=1e1",
      "page=0",
      "page=-1",
      "page=x",
      "page=1.5",
      "page=99999999999999999999",
      "page=9007199254740991",
      "page=1&page=2",
      "limit=5&limit=6",
      "sort=id&sort=name",
      "fields=id&fields=name",
      "include=category&include=tags",
      "count=maybe",
      "limit[gt]=5",
    ])("rejects %s and names it", async (query) => {
      const { errors } = await shop.rejected(400, "GET", `/api/products?${query}`);
      expect(errors?.[0]).toMatchObject({ in: "query", path: expect.stringContaining(/^\w+/.exec(query)?.[0] ?? "") });
    });
  });

  describe("cursor mode", () => {
    const walk = async (path: string, afterPage?: (page: number) => Promise<unknown>) => {
      const seen: Row[] = [];
      let cursor: string | null | undefined = "";
      for (let page = 1; typeof cursor === "string" && page < 50; page += 1) {
        const { data, meta } = await shop.list(`${path}&cursor=${encodeURIComponent(cursor)}`);
        seen.push(...data);
        cursor = meta.nextCursor;
        await afterPage?.(page);
      }
      return seen;
    };

    it.each([
      ["sort=-price", "price DESC, id"],
      ["sort=status,-stock", "status, stock DESC, id"],
      ["sort=releasedOn", "released_on, id"],
      ["sort=-weight", "weight DESC, id"],
      ["status=ACTIVE&sort=name", "name, id"],
    ])("returns %s completely, each row once, in the order of SQL", async (query, order) => {
      if (query.includes("sort=status")) {
        // Enums have no order for a filter: rejecting the filter is correct as well.
        const response = await shop.call("GET", `/api/products?${query}&limit=50&cursor=`);
        if (response.status === 400) return;
      }
      const seen = await walk(`/api/products?${query}&limit=50`);
      const where = query.startsWith("status=") ? "WHERE status = 'ACTIVE'" : "";
      expect(ids(seen)).toEqual(await sqlIds(`SELECT id FROM products ${where} ORDER BY ${order}`));
    });

    it("supports big integers and compound ids", async () => {
      const movements = await walk("/api/stock-movements?limit=100&sort=-createdAt");
      expect(movements.length).toBe(Number(await shop.value("SELECT count(*)::int FROM stock_movements")));
      expect(new Set(ids(movements)).size).toBe(movements.length);
      const items = await walk("/api/order-items?limit=100&sort=quantity");
      expect(new Set(items.map(({ orderId, line }) => `${orderId},${line}`)).size).toBe(items.length);
      expect(items.length).toBe(Number(await shop.value("SELECT count(*)::int FROM order_items")));
    });

    it("neither repeats nor skips a row if others are inserted meanwhile", async () => {
      const before = await sqlIds("SELECT id FROM tags ORDER BY name, id");
      const seen = await walk("/api/tags?sort=name&limit=5", (page) =>
        shop.one("POST", "/api/tags", { name: `aaa-${page}` }),
      );
      expect(ids(seen).filter((id) => before.includes(id as never))).toEqual(before);
      expect(new Set(ids(seen)).size).toBe(seen.length);
    });

    it.each([
      ["/api/products?cursor=nonsense", "cursor"],
      ["/api/products?cursor=e30", "cursor"],
      ["/api/products?cursor=&page=2", "page"],
      ["/api/products?cursor=&sort=category.name", "cursor"],
    ])("rejects %s", async (path, named) => {
      expect(JSON.stringify(await shop.rejected(400, "GET", path))).toContain(named);
    });

    it("rejects a cursor of another sort", async () => {
      const { meta } = await shop.list("/api/products?sort=name&limit=5&cursor=");
      await shop.rejected(400, "GET", `/api/products?sort=-price&limit=5&cursor=${meta.nextCursor}`);
    });
  });

  describe("fields", () => {
    it("returns only the given ones, in lists and in reads", async () => {
      const { data } = await shop.list("/api/products?fields=id,name&limit=3");
      for (const row of data) expect(Object.keys(row).sort()).toEqual(["id", "name"]);
      expect(Object.keys(await shop.one("GET", "/api/products/1?fields=name,price")).sort()).toEqual(["name", "price"]);
    });

    it("excludes the given ones", async () => {
      const all = await shop.one("GET", "/api/products/1");
      const { description, attributes, ...rest } = all;
      expect(await shop.one("GET", "/api/products/1?fields=-description,-attributes")).toEqual(rest);
    });

    it.each([
      "fields=nope",
      "fields=-nope",
      "fields=purchasePrice",
      "fields=-purchasePrice",
      "fields=id,-name",
      "fields=",
    ])("rejects %s", async (query) => {
      await shop.rejected(400, "GET", `/api/products?${query}`);
      await shop.rejected(400, "GET", `/api/products/1?${query}`);
    });
  });

  describe("include", () => {
    it("includes to-one and to-many relations", async () => {
      const row = await shop.one("GET", "/api/products/1?include=category,tags,images,suppliers.supplier");
      const [category] = await shop.sql<Row>(
        "SELECT c.name FROM categories c JOIN products p ON p.category_id = c.id WHERE p.id = 1",
      );
      expect(row.category).toMatchObject({ name: category?.name });
      const tags = await shop.sql<Row>(
        `SELECT name FROM tags t JOIN "_ProductToTag" pt ON pt."B" = t.id WHERE pt."A" = 1`,
      );
      expect((row.tags as Row[]).map(({ name }) => name).sort()).toEqual(tags.map(({ name }) => name).sort());
      expect((row.suppliers as { supplier: Row }[])[0]?.supplier.name).toEqual(expect.any(String));
    });

    it("goes three levels deep in a list, without hidden fields anywhere", async () => {
      const { data } = await shop.list("/api/orders?include=customer,items.product.category,payment&limit=20");
      expect(data).toHaveLength(20);
      const text = JSON.stringify(data);
      expect(text).toContain('"category":{');
      expect(text).not.toMatch(/purchasePrice|staffNote|cardToken|tok_/);
      for (const { customer, customerId } of data) expect((customer as Row).id).toBe(customerId);
    });

    it("includes a self-relation", async () => {
      const row = await shop.one("GET", "/api/categories/2?include=parent.children,products");
      expect(row.parent).toMatchObject({ id: row.parentId });
      expect(((row.parent as Row).children as Row[]).map(({ id }) => id)).toContain(2);
    });

    it("includes null for an empty to-one relation", async () => {
      const [order] = await shop.sql<Row>(
        "SELECT id FROM orders WHERE coupon_code IS NULL AND status = 'PENDING' LIMIT 1",
      );
      expect(await shop.one("GET", `/api/orders/${order?.id}?include=coupon,payment`)).toMatchObject({
        coupon: null,
        payment: null,
      });
    });

    it("includes at most 100 rows of a to-many relation", async () => {
      const { movements } = await shop.one("GET", "/api/products/262?include=movements");
      expect(movements).toHaveLength(100);
      const { data } = await shop.list("/api/products?id=262&include=movements");
      expect(data[0]?.movements).toHaveLength(100);
    });

    it.each([
      "include=nope",
      "include=category.nope",
      "include=name",
      "include=category.parent.parent.parent",
      "include=",
      "include=category,,tags",
    ])("rejects %s", async (query) => {
      const { errors } = await shop.rejected(400, "GET", `/api/products?${query}`);
      expect(errors?.[0]).toMatchObject({ in: "query" });
      await shop.rejected(400, "GET", `/api/products/1?${query}`);
    });
  });

  describe("search", () => {
    it.each(["gift", "GIFT", "fair", "e"])("finds %s in any case", async (word) => {
      const { meta } = await shop.list(`/api/tags?search=${word}&sort=id`);
      expect(meta.total).toBe(Number(await shop.value(`SELECT count(*)::int FROM tags WHERE name ILIKE '%${word}%'`)));
    });

    it("treats wildcards literally", async () => {
      expect((await shop.list("/api/tags?search=%25")).meta.total).toBe(0);
      expect((await shop.list("/api/tags?search=_")).meta.total).toBe(0);
    });

    it("does not search hidden fields", async () => {
      await shop.sql("UPDATE customers SET staff_note = 'xylophone' WHERE newsletter");
      expect((await shop.list("/api/customers?search=xylophone")).meta.total).toBe(0);
    });

    it("combines with filters and sorts", async () => {
      const { data } = await shop.list("/api/products?search=tent&status=ACTIVE&sort=-price&limit=100&fields=id");
      expect(ids(data)).toEqual(
        await sqlIds(
          "SELECT id FROM products WHERE status = 'ACTIVE' AND to_tsvector('english', name || ' ' || coalesce(description, '')) @@ to_tsquery('english', 'tent') ORDER BY price DESC, id LIMIT 100",
        ),
      );
    });
  });

  it("C11 never returns a hidden field", async () => {
    for (const path of ["products", "customers", "payments", "orders?include=payment,customer"]) {
      expect(JSON.stringify(await shop.list(`/api/${path}`))).not.toMatch(/purchasePrice|staffNote|cardToken/);
    }
  });
});
