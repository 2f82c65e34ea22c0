import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type OpenShop, startGuardedShop } from "../open-shop.js";

let shop: OpenShop;
beforeAll(async () => {
  shop = await startGuardedShop("static", {});
});
afterAll(() => shop?.close());

describe("a deep or repeated query", () => {
  const repeat = (count: number, of: (index: number) => string, by = "&") =>
    Array.from({ length: count }, (_, index) => of(index)).join(by);
  const groups = (depth: number) => "or[0]".concat("[and][0][or][0]".repeat(depth / 2));
  const nested = (depth: number, open: string, close: string) => `${open.repeat(depth)}1${close.repeat(depth)}`;
  const questions: readonly [string, string, string, string?][] = [
    [
      "100 alternatives of a slow comparison",
      "GET",
      `/products?${repeat(99, (index) => `or[${index}][description__icontains]=a${index}`)}`,
    ],
    ["101 conditions", "GET", `/products?${repeat(101, (index) => `or[${index}][name]=a`)}`],
    ["one condition 150 times", "GET", `/products?${repeat(150, () => "name__contains=a")}`],
    [
      "500 items in each of three lists",
      "GET",
      `/products?${["id__in", "stock__in", "categoryId__in"].map((name) => `${name}=${repeat(500, String, ",")}`).join("&")}`,
    ],
    ["501 items", "GET", `/products?id__in=${repeat(501, String, ",")}`],
    ["three thousand commas", "GET", `/products?id__in=${",".repeat(3000)}`],
    ["4 nested groups", "GET", `/products?${groups(4)}[name]=a`],
    ["60 nested groups", "GET", `/products?${groups(60)}[name]=a`],
    ["600 negations", "GET", `/products?${"not__".repeat(600)}name=a`],
    ["600 brackets", "GET", `/products?name${"[a]".repeat(600)}=1`],
    [
      "3 relations, each of them negated",
      "GET",
      "/categories?products__none__reviews__every__customer__isNot__name__icontains=a",
    ],
    [
      "30 relation filters of 3 relations",
      "GET",
      `/categories?${repeat(30, (index) => `or[${index}][products][some][reviews][some][customer][name__icontains]=a${index}`)}`,
    ],
    ["400 relations", "GET", `/categories?${"parent__".repeat(400)}id=1`],
    ["400 relations in a sort", "GET", `/categories?sort=${"parent.".repeat(400)}id`],
    [
      "3 relations of many rows each",
      "GET",
      "/categories?include=products.reviews.customer,products.orderItems.order,children.products.reviews&limit=100",
    ],
    [
      "a circle of relations",
      "GET",
      "/products?include=category.products.category,tags.products.tags,reviews.product.reviews&limit=100",
    ],
    ["400 relations in an include", "GET", `/categories?include=${repeat(400, () => "children", ".")}`],
    ["200 paths in an include", "GET", `/products?include=${repeat(200, () => "reviews.customer.orders", ",")}`],
    ["a search for ten words", "GET", `/products?search=${repeat(10, () => "a", "%20")}`],
    ["a word of four thousand letters", "GET", `/products?search=${"a".repeat(4000)}`],
    ["LIKE wildcards in a long text", "GET", `/products?description__icontains=${"%25_".repeat(600)}a`],
    ["a page far away", "GET", "/products?page=90000000&limit=100"],
    ["a page beyond the exact numbers", "GET", "/products?page=9007199254740993&limit=100"],
    ["a thousand sort keys", "GET", `/products?sort=${repeat(1000, () => "name", ",")}`],
    ["a thousand fields", "GET", `/products?fields=${repeat(1000, () => "name", ",")}`],
    ["a thousand empty parameters", "GET", `/products?${"&=".repeat(1000)}`],
    [
      "a bulk delete of 100 alternatives",
      "DELETE",
      `/tags/many?${repeat(100, (index) => `or[${index}][products__name__icontains]=nope${index}`)}`,
    ],
    [
      "a bulk delete of 1001 ids",
      "DELETE",
      "/tags/many",
      JSON.stringify({ ids: Array.from({ length: 1001 }, (_, index) => index + 1e6) }),
    ],
    [
      "a bulk create of 1001 rows",
      "POST",
      "/tags/many",
      JSON.stringify(Array.from({ length: 1001 }, (_, index) => ({ name: `t${index}` }))),
    ],
    ["a list in JSON 32 deep", "POST", "/settings", `{"key":"deep","value":${nested(30, "[", "]")}}`],
    ["a list in JSON 100,000 deep", "POST", "/settings", `{"key":"deeper","value":${nested(100_000, "[", "]")}}`],
    ["an object in JSON 50,000 deep", "POST", "/settings", `{"key":"deeper","value":${nested(50_000, '{"a":', "}")}}`],
    ["a key of a megabyte", "POST", "/tags", `{"${"k".repeat(1_000_000)}":1}`],
    ["a hundred thousand keys", "POST", "/tags", `{${repeat(80_000, (index) => `"k${index}":1`, ",")}}`],
    [
      "a number of ten thousand digits",
      "POST",
      "/products",
      `{"sku":"x","name":"x","categoryId":1,"price":${"9".repeat(10_000)}}`,
    ],
    [
      "a relation of 20,000 rows",
      "POST",
      "/products",
      `{"sku":"x","name":"x","categoryId":1,"price":1,"images":[${repeat(20_000, (index) => `{"position":${index % 30000},"thumbnail":"AQ=="}`, ",")}]}`,
    ],
  ];

  it.each(questions)("%s", async (_what, method, path, body) => {
    const { status, text } = await shop.call(method, path, body);
    expect(status, text.slice(0, 300)).toBeLessThan(500);
    const live = await fetch(`${shop.url}/api/health/live`);
    expect(live.status).toBe(200);
  });

  it("twenty of the slowest concurrently leave the service responsive", async () => {
    const slowest = questions.filter(([what]) => /slow|30 relation|circle|each of three/.test(what));
    let isDone = false;
    const work = Promise.all(
      Array.from({ length: 20 }, (_, index) => shop.call("GET", String(slowest[index % slowest.length]?.[2]))),
    ).finally(() => {
      isDone = true;
    });
    let responses = 0;
    while (!isDone) {
      expect((await fetch(`${shop.url}/api/health/live`)).status).toBe(200);
      responses++;
    }
    for (const { status } of await work) expect(status).toBeLessThan(500);
    // Each of them blocks the process briefly: a request waits for some of them, never for all.
    expect(responses).toBeGreaterThan(2);
  });
});
