import { makeClient } from "@servicekit/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Api } from "../src/generated/service/api.js";
import { type Shop, startShop } from "./shop.js";

describe("C104 files of the shop", () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await startShop();
  });
  afterAll(() => shop?.close());

  const importProducts = async (body: string, query = "") => {
    const init = { method: "POST", headers: { "content-type": "text/csv" }, body };
    const response = await fetch(`${shop.url}/api/products/many${query}`, init);
    return {
      status: response.status,
      body: (await response.json()) as { errors?: { path: string }[]; meta?: unknown },
    };
  };

  it("have all orders with their customers", async () => {
    const [counted] = await shop.sql<{ count: string }>("SELECT count(*)::text AS count FROM orders");
    const response = await fetch(`${shop.url}/api/orders?include=customer&sort=-id`, {
      headers: { accept: "text/csv", "accept-encoding": "gzip" },
    });
    expect([response.status, response.headers.get("content-encoding")]).toEqual([200, "gzip"]);
    expect(response.headers.get("content-disposition")).toBe('attachment; filename="orders.csv"');
    const [head = "", ...rows] = (await response.text()).split("\r\n");
    expect(head).toContain("customer.");
    expect(rows).toHaveLength(Number(counted?.count) + 1);
  });

  it("have the rows that a full-text search finds, in other orders than by rank", async () => {
    const path = "/api/products?search=tents&limit=100&fields=id";
    const { body } = await shop.call<{ data: { id: number }[] }>("GET", `${path}&sort=-price`);
    const idsOf = async (query: string) => {
      const response = await fetch(`${shop.url}/api/products?search=tents&fields=id${query}`, {
        headers: { accept: "application/x-ndjson" },
      });
      const lines = (await response.text()).split("\n").slice(0, -1);
      return lines.map((line) => (JSON.parse(line) as { id: number }).id);
    };
    const ids = body.data.map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(0);
    expect(await idsOf("&sort=-price")).toEqual(ids);
    expect(await idsOf("")).toEqual(ids.toSorted((one, other) => one - other));
    expect(await idsOf("&sort=category.name,-price")).toHaveLength(ids.length);
  });

  it("create products after a dry run", async () => {
    const file = "sku,name,price,categoryId\nCSV-0001,Mug,12.50,1\nCSV-0002,Plate,9,1\n";
    expect(await importProducts(file, "?dryRun=true")).toEqual({
      status: 200,
      body: { meta: { count: 2, dryRun: true } },
    });
    expect((await importProducts(file)).status).toBe(201);
    const again = await importProducts(file, "?dryRun=true");
    expect([again.status, again.body.errors?.map(({ path }) => path)]).toEqual([409, ["line 2, sku", "line 3, sku"]]);
  });

  it("are streams of the typed client", async () => {
    const client = makeClient<Api>({ baseUrl: shop.url });
    const prices: string[] = [];
    const rows = await client.products.export({
      format: "ndjson",
      where: { sku: { startsWith: "CSV-" } },
      sort: ["sku"],
      include: { category: true },
    });
    for await (const { price, category } of rows) prices.push(`${price} ${category.id}`);
    expect(prices).toEqual(["12.50 1", "9.00 1"]);
    const csv = await client.products.export({ format: "csv", fields: ["sku"], sort: ["-sku"], limit: 1 });
    expect((await new Response(csv).text()).split("\r\n")).toHaveLength(3);
    for await (const { id } of await client.products.export({ format: "ndjson" })) {
      expect(id).toBeDefined();
      break;
    }
    const file = new Blob(["sku,name,price,categoryId\nCSV-0003,Bowl,7,1\n"], { type: "text/csv" });
    expect(await client.products.import(file, { dryRun: true })).toEqual({ meta: { count: 1, dryRun: true } });
    expect((await client.products.import(file)).meta).toEqual({ count: 1 });
    await expect(client.products.import(file)).rejects.toMatchObject({ errors: [{ path: "line 2, sku" }] });
    await expect(client.tags.export({ format: "csv" })).rejects.toMatchObject({ status: 406 });
  });
});
