import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Json, Row } from "./api.js";
import { type Shop, startShop } from "./shop.js";

describe("C4, C12 values", () => {
  let shop: Shop;
  let count = 0;
  const next = () => {
    count += 1;
    return count;
  };
  beforeAll(async () => {
    shop = await startShop();
  });
  afterAll(() => shop?.close());

  /** The required fields of each model, with new values each time. */
  const min: Readonly<Record<string, () => Promise<Row> | Row>> = {
    products: () => ({ sku: `T-${next()}`, name: "Test", price: "1.00", categoryId: 2 }),
    suppliers: () => ({ name: `Supplier ${next()}`, country: "DE" }),
    customers: () => ({ email: `c${next()}@example.com`, name: "Test" }),
    settings: () => ({ key: `test.${next()}`, value: 1 }),
    coupons: () => ({ code: `T${next()}`, percent: 5, validFrom: "2025-01-01" }),
    categories: () => ({ name: "Test", slug: `test-${next()}` }),
    "product-images": () => ({ position: next(), thumbnail: "AAEC", productId: 1 }),
    "stock-movements": () => ({ reason: "STOCKTAKE", quantity: 1, productId: 1 }),
    orders: async () => {
      const [address] = await shop.sql<Row>("SELECT id, customer_id::text AS customer FROM addresses LIMIT 1");
      return {
        reference: `T-${next()}`,
        total: 1,
        customerId: address?.customer ?? "",
        shippingAddressId: address?.id ?? 0,
      };
    },
    payments: async () => {
      const order = await shop.one("POST", "/api/orders", (await min.orders?.()) ?? {});
      return { method: "CARD", amountCents: "100", paidAt: "2025-06-01T00:00:00Z", orderId: order.id ?? 0 };
    },
  };
  const keyOf: Readonly<Record<string, string>> = { settings: "key", coupons: "code" };

  /** The field, the sent value, and the returned value if its form differs. */
  const stored: readonly (readonly [path: string, field: string, sent: Json, read?: Json])[] = [
    ["products", "price", "0.10"],
    ["products", "price", "99999999.99"],
    ["products", "price", "-5.25"],
    ["products", "price", 19.99, "19.99"],
    ["products", "price", 5, "5.00"],
    ["products", "price", "7.5", "7.50"],
    ["coupons", "percent", "12.5"],
    ["payments", "rate", "0.000000000000000000000000000001"],
    ["payments", "rate", "12345678901234567890.123456789"],
    ["payments", "amountCents", "9007199254740993"],
    ["payments", "amountCents", "9223372036854775807"],
    ["payments", "amountCents", "-9223372036854775808"],
    ["payments", "amountCents", 42, "42"],
    ["products", "weight", 0.1],
    ["products", "weight", 1e308],
    ["products", "weight", 5e-324],
    ["products", "weight", 12],
    ["products", "weight", null],
    ["stock-movements", "quantity", 2147483647],
    ["stock-movements", "quantity", -2147483648],
    ["categories", "position", 32767],
    ["categories", "position", -32768],
    ["customers", "newsletter", true],
    ["customers", "newsletter", false],
    ["products", "releasedOn", "2024-02-29", "2024-02-29T00:00:00.000Z"],
    ["products", "releasedOn", "2024-02-29T00:00:00.000Z"],
    ["customers", "birthday", "0001-01-01", "0001-01-01T00:00:00.000Z"],
    ["customers", "birthday", "9999-12-31", "9999-12-31T00:00:00.000Z"],
    ["orders", "deliverBy", "2025-06-01T12:34:56.789Z"],
    ["orders", "deliverBy", "2025-06-01T12:34:56Z", "2025-06-01T12:34:56.000Z"],
    ["payments", "paidAt", "2025-06-01T12:34:56.789+02:00", "2025-06-01T10:34:56.789Z"],
    ["settings", "value", { deep: [1, "two", null, { three: [true] }], "": 0, ünïcode: "✓" }],
    ["settings", "value", [1, 2.5, "3"]],
    ["settings", "value", "a text"],
    ["settings", "value", ""],
    ["settings", "value", 0],
    ["settings", "value", false],
    ["products", "attributes", { _ref: "stock", _container: "Product" }],
    ["products", "attributes", { $set: 1, toString: "x" }],
    ["products", "attributes", null],
    ["products", "attributes", []],
    ["product-images", "thumbnail", ""],
    ["product-images", "thumbnail", "AP8AgA=="],
    ["product-images", "thumbnail", Buffer.from(Array.from({ length: 256 }, (_, at) => at)).toString("base64")],
    ["suppliers", "phones", []],
    ["suppliers", "phones", ["+49", "", "a,b", '"q"', "{x}", "NULL", "\\", "+49"]],
    ["products", "keywords", ["ü", "✓🏕️"]],
    ["products", "channels", ["MARKETPLACE", "WEB"]],
    ["products", "channels", []],
    ["products", "status", "RUNNING_OUT"],
    ["payments", "method", "GIFT_CARD"],
    ["products", "description", "line 1\nline 2\ttab \u0001 \u007f"],
    ["products", "description", ""],
    ["products", "description", "null"],
    ["products", "description", "  blanks  "],
    ["products", "name", "🏕".repeat(120)],
    ["products", "name", "'; DROP TABLE products; --"],
    ["products", "name", "<script>alert(1)</script>"],
    ["products", "sku", "x".repeat(16)],
    ["suppliers", "country", "FI"],
    ["suppliers", "country", "D"],
    ["orders", "clientIp", "2001:db8::1"],
    ["orders", "clientIp", "192.0.2.1"],
    ["orders", "clientIp", null],
  ];
  /** Trailing zeros do not change a number. */
  const plain = (value: Json | undefined) =>
    typeof value === "string" ? value.replace(/^(-?\d+)(?:(\.\d*[1-9])|\.)0*$/, "$1$2") : value;

  for (const [path, field, sent, read = sent] of stored) {
    it(`stores ${path}.${field} ${JSON.stringify(sent).slice(0, 60)}`, async () => {
      const created = await shop.one("POST", `/api/${path}`, { ...(await min[path]?.()), [field]: sent });
      expect(plain(created[field])).toEqual(plain(read));
      const at = `/api/${path}/${encodeURIComponent(String(created[keyOf[path] ?? "id"]))}`;
      expect(await shop.one("GET", at)).toEqual(created);
      // The returned form is accepted.
      const again = await shop.one("PATCH", at, { [field]: created[field] });
      expect(again[field]).toEqual(created[field]);
    });
  }

  it("C4 the database contains what was written, to the last digit", async () => {
    const payment = (await min.payments?.()) ?? {};
    const { id } = await shop.one("POST", "/api/payments", {
      ...payment,
      amountCents: "9007199254740993",
      rate: "0.1234567890123456789",
      cardToken: "tok_secret",
      receipt: { ok: true },
    });
    const [row] = await shop.sql<Row>(
      `SELECT amount_cents::text, rate::text, card_token, receipt::text FROM payments WHERE id = '${id}'`,
    );
    expect(row).toMatchObject({ amount_cents: "9007199254740993", card_token: "tok_secret", receipt: '{"ok": true}' });
    expect(String(row?.rate)).toMatch(/^0\.12345678901234567890*$/);
  });

  it("C12 applies the defaults of the schema", async () => {
    const product = await shop.one("POST", "/api/products", await min.products?.());
    expect(product).toMatchObject({
      status: "DRAFT",
      stock: 0,
      channels: ["WEB"],
      keywords: [],
      description: null,
      weight: null,
      attributes: null,
      releasedOn: null,
    });
    const customer = await shop.one("POST", "/api/customers", await min.customers?.());
    expect(customer).toMatchObject({ newsletter: false, loyaltyPoints: "0", preferences: {} });
  });

  const rejected: readonly (readonly [path: string, field: string, sent: unknown, why: string])[] = [
    ["products", "price", "1.005", "a third decimal"],
    ["products", "price", 1.005, "a third decimal"],
    ["products", "price", "100000000.00", "more digits than the column has"],
    ["products", "price", "abc", "no number"],
    ["products", "price", "", "no number"],
    ["products", "price", "NaN", "no number"],
    ["products", "price", "Infinity", "no number"],
    ["products", "price", null, "required"],
    ["products", "price", true, "another type"],
    ["products", "price", { _ref: "stock", _container: "Product" }, "an object"],
    ["products", "price", { increment: 1 }, "an object"],
    ["products", "price", ["1"], "a list"],
    ["payments", "amountCents", "1.5", "no integer"],
    ["payments", "amountCents", 1.5, "no integer"],
    ["payments", "amountCents", "9223372036854775808", "over 64 bits"],
    ["payments", "amountCents", "", "no number"],
    ["products", "weight", "1.5", "a text"],
    ["stock-movements", "quantity", 1.5, "no integer"],
    ["stock-movements", "quantity", "5", "a text"],
    ["stock-movements", "quantity", 2147483648, "over 32 bits"],
    ["stock-movements", "quantity", { increment: 5 }, "an object"],
    ["categories", "position", 32768, "over 16 bits"],
    ["customers", "newsletter", "true", "a text"],
    ["customers", "newsletter", 1, "a number"],
    ["customers", "newsletter", null, "required"],
    ["products", "releasedOn", "2023-02-29", "no such day"],
    ["products", "releasedOn", "2024-02-29T13:00:00Z", "a time that a date column would cut"],
    ["products", "releasedOn", "yesterday", "no date"],
    ["products", "releasedOn", 1700000000000, "a number"],
    ["orders", "deliverBy", "2025-06-01T12:34:56.123456Z", "microseconds, which would be cut"],
    ["orders", "deliverBy", "+010000-01-01T00:00:00Z", "after the year 9999"],
    ["orders", "deliverBy", "0000-01-01T00:00:00Z", "before the year 1"],
    ["orders", "deliverBy", "2025-06-01T25:00:00Z", "no such hour"],
    ["orders", "deliverBy", "", "no date"],
    ["product-images", "thumbnail", "not base64!", "no base64"],
    ["product-images", "thumbnail", "AAE", "base64 cut short"],
    ["product-images", "thumbnail", [0, 1], "a list"],
    ["suppliers", "phones", "one", "no list"],
    ["suppliers", "phones", [null], "null in a list"],
    ["suppliers", "phones", [1], "a number in a list"],
    ["suppliers", "phones", ["a\u0000b"], "NUL"],
    ["suppliers", "phones", { set: ["x"] }, "an object"],
    ["suppliers", "phones", { push: "x" }, "an object"],
    ["products", "channels", ["NOPE"], "no such value"],
    ["products", "channels", "WEB", "no list"],
    ["products", "status", "NOPE", "no such value"],
    ["products", "status", "running-out", "the database's word, not ours"],
    ["products", "status", "active", "another case"],
    ["products", "sku", "x".repeat(17), "too long"],
    ["products", "name", "🏕".repeat(121), "too long"],
    ["products", "name", "a\u0000b", "NUL"],
    ["products", "name", 5, "a number"],
    ["products", "name", { set: "x" }, "an object"],
    ["suppliers", "country", "DEU", "too long"],
    ["suppliers", "country", "D ", "a blank at the end, which the column would lose"],
    ["orders", "clientIp", "not an address", "no address"],
    ["orders", "customerId", "not-a-uuid", "no UUID"],
    ["products", "nope", 1, "an unknown field"],
    ["products", "id", 5, "an id that the database makes"],
    ["products", "stock", 5, "a read-only field"],
    ["products", "createdAt", "2025-01-01T00:00:00Z", "a date that the database makes"],
    ["orders", "placedAt", "2025-01-01T00:00:00Z", "a date that the database makes"],
    ["products", "updatedAt", "2025-01-01T00:00:00Z", "a date that Prisma makes"],
    ["products", "purchasePrice", "1.00", "a hidden field"],
    ["customers", "staffNote", "x", "a hidden field"],
    ["customers", "loyaltyPoints", "5", "a read-only field"],
    ["products", "AND", [], "a word of Prisma's"],
    ["products", "_count", true, "a word of Prisma's"],
  ];
  it.each(rejected)("C12 rejects %s.%s %j: %s", async (path, field, sent) => {
    const body = { ...(await min[path]?.()), [field]: sent };
    const total = Number(await shop.value(`SELECT count(*)::int FROM ${path.replaceAll("-", "_")}`));
    const { errors, code } = await shop.rejected(400, "POST", `/api/${path}`, body);
    expect(code).toBe("ValidationError");
    expect(errors).toEqual([expect.objectContaining({ in: "body", path: expect.stringMatching(`^/${field}(/|$)`) })]);
    expect(await shop.value(`SELECT count(*)::int FROM ${path.replaceAll("-", "_")}`)).toBe(String(total));
  });

  const raw: readonly (readonly [json: string, why: string])[] = [
    ['{"weight": 1e400}', "a number over the range of doubles"],
    ['{"weight": -1e400}', "a number under the range of doubles"],
    ['{"price": 1e400}', "a number over the range of doubles"],
    ['{"name": "\\ud800"}', "half of a surrogate pair"],
    ['{"attributes": {"a": "\\ud800"}}', "half of a surrogate pair in Json"],
    ['{"attributes": {"\\udc00": 1}}', "half of a surrogate pair as a key in Json"],
    ['{"attributes": {"a": "\\u0000"}}', "NUL in Json"],
    ['{"attributes": {"a": 1e400}}', "a number over the range of doubles in Json"],
    ['{"attributes": {"__proto__": {"x": 1}}}', "a prototype key in Json"],
    ['{"__proto__": {"name": "x"}}', "a prototype key"],
    [`{"attributes": ${"[".repeat(40)}${"]".repeat(40)}}`, "JSON that is too deep"],
    ["[]", "a list in place of an object"],
    ["null", "null in place of an object"],
    ['"text"', "a text in place of an object"],
    ["", "an empty body"],
    ["{", "half of an object"],
    ['{"name": "x",}', "a comma too many"],
  ];
  it.each(raw)("C5, C12 rejects the body %s: %s", async (json) => {
    const before = await shop.one("GET", "/api/products/5");
    await shop.rejected(400, "PATCH", "/api/products/5", json);
    expect(await shop.one("GET", "/api/products/5")).toEqual(before);
  });

  it("C4 rejects a big integer as an inexact JSON number", async () => {
    const payment = JSON.stringify({ ...((await min.payments?.()) ?? {}), amountCents: "here" });
    await shop.rejected(400, "POST", "/api/payments", payment.replace('"here"', "9007199254740993"));
  });

  it("C12 reports every error of a body together", async () => {
    const { errors } = await shop.rejected(400, "POST", "/api/products", { name: 5, price: "x", nope: 1 });
    expect(errors?.map(({ path }) => path).sort()).toEqual(["/categoryId", "/name", "/nope", "/price", "/sku"]);
  });
});
