import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTwoDatabases, type TwoDatabases } from "./two-databases.js";

let databases: TwoDatabases;
beforeAll(async () => {
  databases = await openTwoDatabases();
});
afterAll(() => databases?.close());

describe("SQL in values, lists, JSON paths and the order", () => {
  const payloads = [
    "' OR 1=1 --",
    "'; DROP TABLE tags; --",
    "1 OR 1=1",
    "1) OR (1=1",
    "x' UNION SELECT password FROM users --",
    "$1",
    "$$;SELECT pg_sleep(5);$$",
    '" OR ""="',
    "\\' OR 1=1 --",
    "%' OR '1'='1",
    "a') OR pg_sleep(5) IS NULL --",
    "{1,2}",
    "(SELECT 1)",
    "ASC, (SELECT pg_sleep(5))",
    "name\u0000",
    "E'\\x27'",
    "ʼ OR 1=1",
    "＇ OR 1=1",
  ];

  it.each(payloads)("%j", async (payload) => {
    const value = encodeURIComponent(payload);
    for (const path of [
      ...["equals", "contains", "istartsWith", "iequals", "in", "gte"].map(
        (word) => `/products?name__${word}=${value}&limit=1`,
      ),
      `/products?search=${value}&limit=1`,
      `/products?attributes=${value}`,
      `/products?attributes__not=${value}`,
      `/products?keywords__hasSome=${value},x`,
      `/products?id__in=1,${value}`,
      `/products?price__gt=${value}`,
      `/products?status=${value}`,
      `/products?${value}=1`,
      `/products?name[${value}]=1`,
      `/products?sort=${value}`,
      `/products?sort=name,${value}`,
      `/products?fields=${value}`,
      `/products?include=${value}`,
      `/products?limit=${value}`,
      `/products?page=${value}`,
      `/products?cursor=${value}`,
      `/products/${value}`,
      `/coupons/${value}`,
      `/settings/${value}`,
      `/product-suppliers/1,${value}`,
    ]) {
      const { status, text } = await databases.both("GET", path);
      expect(status === 200 || status === 400 || status === 404, `${path} ${text}`).toBe(true);
      if (/equals|contains|istartsWith|__in=/.test(path) && status === 200)
        expect(JSON.parse(text).meta.total, path).toBe(0);
    }
  });

  it.each([
    "attributes__path=colour",
    "attributes[path][]=colour&attributes[equals]=moss",
    "attributes__colour=moss",
    "attributes[colour][equals]=moss",
    "attributes__string_contains=moss",
    "attributes__stringContains=moss",
    "attributes__array_contains=1",
    "attributes->>'colour'=moss",
    "attributes%23>>'{a}'=1",
    "attributes$.colour=moss",
    'attributes__equals={"colour":"moss"}',
    "attributes__equals=[1]",
    "attributes__contains=moss",
    "attributes__in=1",
    "name[path]=x",
    "sort=attributes",
    "sort=attributes->>colour",
  ])("a path into JSON: ?%s", async (query) => {
    await databases.rejected("GET", `/products?${query}`);
  });

  it("does not change any table", async () => {
    expect(await databases.ours.database.tag.count()).toBeGreaterThan(0);
    expect(await databases.ours.database.product.count()).toBe(await databases.theirs.database.product.count());
  });
});

describe("prototypes", () => {
  const bodies = [
    '{"name":"p","__proto__":{"isAdmin":true}}',
    '{"__proto__":{"name":"p"}}',
    '{"name":"p","constructor":{"prototype":{"isAdmin":true}}}',
    '{"name":{"__proto__":{"isAdmin":true}}}',
    '{"name":"p","products":[{"id":1,"__proto__":{"name":"x"}}]}',
    '[{"name":"p","__proto__":{"isAdmin":true}}]',
    '{"name":"p","\\u005f_proto__":{"isAdmin":true}}',
    '{"name":"p","prototype":1}',
    '{"name":"p","toString":1,"hasOwnProperty":2}',
  ];
  const queries = [
    "__proto__[isAdmin]=true",
    "__proto__.isAdmin=true",
    "constructor[prototype][isAdmin]=true",
    "name[__proto__][isAdmin]=true",
    "or[__proto__][name]=x",
    "or[0][__proto__]=x",
    "or[0][constructor][prototype][a]=x",
    "fields=__proto__",
    "fields=constructor",
    "sort=__proto__",
    "sort=products.__proto__",
    "include=__proto__",
    "include=constructor.prototype",
    "%5F%5Fproto%5F%5F[isAdmin]=true",
    "name__toString=1",
    "hasOwnProperty=1",
    "products__constructor=1",
  ];

  it("are 400 in bodies and queries, and affect no other request", async () => {
    for (const body of bodies) {
      await databases.rejected("POST", "/tags", body);
      await databases.rejected("PATCH", "/tags/1", body);
      await databases.rejected("POST", "/tags/many", `[${body}]`);
    }
    for (const query of queries) {
      await databases.rejected("GET", `/tags?${query}`);
      await databases.rejected("DELETE", `/tags/many?${query}`);
    }
    const plain: Record<string, unknown> = {};
    expect([plain.isAdmin, plain.name, plain.a]).toEqual([undefined, undefined, undefined]);
    expect(Object.keys(Object.prototype)).toEqual([]);
    const made = await databases.both("POST", "/tags", { name: "after" });
    expect([made.status, Object.keys(made.body.data)]).toEqual([201, ["id", "name"]]);
    for (const id of ["__proto__", "constructor", "toString"])
      expect((await databases.both("GET", `/settings/${id}`)).status).toBe(404);
  });

  it("in JSON columns are rejected, and other keys are returned as sent", async () => {
    await databases.rejected("POST", "/settings", '{"key":"proto","value":{"a":[{"__proto__":1}]}}');
    const value = { constructor: 1, prototype: { x: 2 }, toString: "t", "": 0 };
    const made = await databases.ours.call("POST", "/settings", { key: "words", value });
    expect([made.status, made.body.data?.value]).toEqual([201, value]);
  });
});

describe("a body that is not an object", () => {
  it.each([
    "[]",
    "[1]",
    '["name"]',
    '[{"name":"x"}]',
    '"name"',
    "null",
    "1",
    "0",
    "true",
    "false",
    '""',
    "{}",
    " ",
    "{",
    "[",
    "nul",
    "NaN",
  ])("%s", async (body) => {
    await databases.rejected("POST", "/tags", body);
    if (body !== "{}") await databases.rejected("PATCH", "/tags/1", body);
    await databases.rejected("PATCH", "/tags/many?id=1", body === "{}" ? "[]" : body);
    if (body !== '[{"name":"x"}]') await databases.rejected("POST", "/tags/many", body);
    await databases.rejected("POST", "/tags/many", `[${body}]`.replace('[[{"name":"x"}]]', "[[]]"));
  });

  it("is rejected, as are a missing one and another media type", async () => {
    expect((await databases.ours.call("POST", "/tags")).status).toBeGreaterThanOrEqual(400);
    expect((await databases.ours.call("POST", "/tags", "name=x", { "content-type": "text/plain" })).status).toBe(415);
    expect((await databases.ours.call("POST", "/tags", "<a/>", { "content-type": "application/xml" })).status).toBe(
      415,
    );
  });
});

describe("the forbidden key comes after a nested sibling", () => {
  const product = { sku: "late", name: "x", price: 1, categoryId: 1 };

  it.each<[string, string, unknown]>([
    ["POST", "/products", { ...product, attributes: { a: { b: [1] } }, purchasePrice: 1 }],
    ["POST", "/products", { ...product, images: [{ position: 1, thumbnail: "AQ==" }], stock: 5 }],
    [
      "POST",
      "/products",
      {
        ...product,
        images: [
          { position: 1, thumbnail: "AQ==" },
          { position: 2, thumbnail: "AQ==", productId: 2 },
        ],
      },
    ],
    ["POST", "/products", { ...product, tags: [{ id: 1 }, { id: 2, name: "renamed" }] }],
    ["POST", "/products/many", [product, { ...product, sku: "later", attributes: { a: 1 }, purchasePrice: 1 }]],
    ["PATCH", "/products/1", { attributes: { a: { b: 1 } }, id: 7 }],
    ["PATCH", "/products/1", { images: [], purchasePrice: 1 }],
    ["PATCH", "/products/many", [{ id: 1, attributes: { a: 1 }, stock: 1 }]],
    ["PATCH", "/products/many?id=1", { attributes: { a: 1 }, stock: 1 }],
    ["POST", "/customers", { email: "a@b.c", name: "x", preferences: { a: {} }, staffNote: "x" }],
    ["POST", "/customers", { email: "a@b.c", name: "x", addresses: [], loyaltyPoints: "5" }],
    ["POST", "/customers", { email: "a@b.c", name: "x", preferences: {}, user: { id: 1 } }],
    ["POST", "/settings", '{"key":"k","value":{"a":{"b":1}},"__proto__":{"x":1}}'],
    ["POST", "/settings", '{"key":"k","value":{"a":{"b":{}},"c":[{},{"__proto__":1}]}}'],
  ])("%s %s %j", async (method, path, body) => {
    const before = await databases.ours.database.product.count();
    await databases.rejected(method, path, body);
    expect(await databases.ours.database.product.count()).toBe(before);
  });

  it.each([
    "or[0][name]=a&or[0][purchasePrice]=1",
    "reviews__some__rating=5&reviews__some__customer__staffNote=x",
    "tags__name=a&tags__or__0__name=b&purchasePrice=1",
    "include=reviews,reviews.customer,reviews.customer.user",
    "fields=id,name,purchasePrice",
    "name=a&or[0][tags][name]=b&or[0][__proto__]=1",
  ])("?%s", async (query) => {
    await databases.rejected("GET", `/products?${query}`);
  });
});
