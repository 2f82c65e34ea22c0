import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Row } from "./api.js";
import { type Shop, startShop } from "./shop.js";

describe("C7 ids of all kinds", () => {
  let shop: Shop;
  let customerId: string;
  let supplierId: string;
  beforeAll(async () => {
    shop = await startShop();
    customerId = await shop.value("SELECT id::text FROM customers ORDER BY email LIMIT 1");
    supplierId = await shop.value("SELECT supplier_id::text FROM product_suppliers WHERE product_id = 1 LIMIT 1");
  });
  afterAll(() => shop?.close());

  it("reads by an integer", async () => {
    expect(await shop.one("GET", "/api/products/1")).toMatchObject({ id: 1, name: "100% Merino Blanket" });
  });

  it("reads by a big integer, exactly", async () => {
    expect(await shop.one("GET", "/api/stock-movements/1")).toMatchObject({ id: "1" });
    await shop.sql(
      `INSERT INTO stock_movements (id, reason, quantity, product_id) VALUES (9007199254740993, 'RETURN', 7, 1), (9223372036854775807, 'RETURN', 8, 1)`,
    );
    expect(await shop.one("GET", "/api/stock-movements/9007199254740993")).toMatchObject({
      id: "9007199254740993",
      quantity: 7,
    });
    expect(await shop.one("GET", "/api/stock-movements/9223372036854775807")).toMatchObject({ quantity: 8 });
    await shop.rejected(404, "GET", "/api/stock-movements/9007199254740992");
  });

  it("reads by a UUID", async () => {
    expect(await shop.one("GET", `/api/customers/${customerId}`)).toMatchObject({ id: customerId });
  });

  it("reads by a string, percent-encoded if necessary", async () => {
    expect(await shop.one("GET", "/api/settings/shop.name")).toMatchObject({ value: "Harbour & Pine" });
    expect(await shop.one("GET", "/api/settings/labels%2Fde")).toMatchObject({ key: "labels/de" });
    for (const key of ["a,b", "100%", "many words ünd", "...", "a\\b?c#d"]) {
      await shop.one("POST", "/api/settings", { key, value: 1 });
      expect(await shop.one("GET", `/api/settings/${encodeURIComponent(key)}`)).toMatchObject({ key });
    }
  });

  it("reads by the only unique field if there is no id", async () => {
    expect(await shop.one("GET", "/api/coupons/FLASH7.5")).toMatchObject({ code: "FLASH7.5", percent: "7.5" });
  });

  it("reads by a compound id in schema order", async () => {
    const [row] = await shop.sql<Row>("SELECT quantity, product_id FROM order_items WHERE order_id = 3 AND line = 1");
    expect(await shop.one("GET", "/api/order-items/3,1")).toMatchObject({
      orderId: 3,
      line: 1,
      quantity: row?.quantity,
      productId: row?.product_id,
    });
    expect(await shop.one("GET", `/api/product-suppliers/1,${supplierId}`)).toMatchObject({ productId: 1, supplierId });
    expect(await shop.one("GET", "/api/order-items/3%2C1".replace("%2C", ","))).toMatchObject({ line: 1 });
  });

  it("updates, deletes and creates by every kind of id", async () => {
    expect(await shop.one("PATCH", "/api/settings/labels%2Fde", { value: { cart: "Korb" } })).toMatchObject({
      value: { cart: "Korb" },
    });
    expect(await shop.one("PATCH", "/api/coupons/OLDTIMER", { usageLimit: 3 })).toMatchObject({ usageLimit: 3 });
    expect(await shop.one("PATCH", "/api/order-items/3,1", { quantity: 9 })).toMatchObject({ line: 1, quantity: 9 });
    expect(await shop.one("PATCH", "/api/stock-movements/1", { note: "counted" })).toMatchObject({ note: "counted" });
    expect(await shop.value("SELECT quantity FROM order_items WHERE order_id = 3 AND line = 1")).toBe("9");

    const created = await shop.call<{ data: Row }>("POST", "/api/order-items", {
      orderId: 3,
      line: 99,
      quantity: 1,
      unitPrice: 5,
      productId: 1,
    });
    expect(created.status).toBe(201);
    expect(new URL(created.headers.get("location") ?? "", shop.url).pathname).toBe("/api/order-items/3,99");
    expect((await shop.call("DELETE", "/api/order-items/3,99")).status).toBe(204);
    expect(await shop.value("SELECT count(*)::int FROM order_items WHERE order_id = 3 AND line = 99")).toBe("0");
  });

  const impossible: readonly (readonly [path: string, why: string])[] = [
    ["products/abc", "no number"],
    ["products/1.5", "no integer (Prisma would find row 1)"],
    ["products/1e0", "no integer's usual form"],
    ["products/0x1", "hexadecimal"],
    ["products/+1", "a sign"],
    ["products/%201", "a blank"],
    ["products/1,1", "two values for one"],
    ["products/-1", "no such row"],
    ["products/2147483648", "over 32 bits"],
    ["products/99999999999999999999", "over 64 bits"],
    ["products/undefined", "a word"],
    ["products/null", "a word"],
    ["products/%00", "NUL"],
    ["settings/%00", "NUL in a text"],
    ["settings/a%00b", "NUL within a text"],
    ["stock-movements/9223372036854775808", "over 64 bits"],
    ["stock-movements/1.0", "no integer"],
    ["customers/1", "no UUID"],
    ["customers/6f17b146-df59-4167-aabb-179958f3a26", "a digit too few"],
    ["customers/6f17b146-df59-4167-aabb-179958f3a26g", "not hexadecimal"],
    ["order-items/3", "one value for two"],
    ["order-items/3,1,1", "three values for two"],
    ["order-items/3,", "an empty value"],
    ["order-items/,1", "an empty value"],
    ["order-items/3,x", "no number"],
    ["order-items/3,32768", "over 16 bits"],
    ["product-suppliers/1,1", "no UUID"],
    ["coupons/nope", "no such row"],
    ["coupons/flash7.5", "another case"],
  ];
  it.each(impossible)("returns 404 for %s: %s", async (path) => {
    expect((await shop.rejected(404, "GET", `/api/${path}`)).code).toBe("NotFound");
    await shop.rejected(404, "PATCH", `/api/${path}`, {});
    await shop.rejected(404, "DELETE", `/api/${path}`);
  });
});
