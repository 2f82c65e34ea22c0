import { afterAll, beforeAll, expect, it } from "vitest";
import type { Row } from "./api.js";
import { type Shop, startShop } from "./shop.js";

let shop: Shop;
beforeAll(async () => {
  shop = await startShop();
  await shop.sql(`INSERT INTO products (sku, name, price, category_id, description, updated_at)
    SELECT 'S' || n, (ARRAY['Steel bottle', 'Tent', 'Running shoes', 'Lamp'])[1 + n % 4] || ' ' || n, 10, 1,
      CASE WHEN n % 1000 = 0 THEN 'Waterproofed for the sea' ELSE 'Plain' END, now() FROM generate_series(1, 100000) n`);
  await shop.sql("ANALYZE products");
}, 120_000);
afterAll(() => shop?.close());

const scans = async (): Promise<number> => {
  return Number(
    await shop.value(
      "SELECT idx_scan::int FROM pg_stat_user_indexes WHERE indexrelname = 'products_search_vector_idx'",
    ),
  );
};

it("C103 a search of 100,000 rows uses the index of the migration and is ranked", async () => {
  const before = await scans();
  const { data, meta } = await shop.list("/api/products?search=waterproofing+seas&limit=100&fields=id,description");
  expect([data.length, meta.total]).toEqual([100, 100]);
  // The statistics of a session are written when it is idle.
  await expect.poll(scans, { timeout: 30_000 }).toBeGreaterThan(before);
  const plan = await shop.sql<Row>(
    `EXPLAIN SELECT id FROM products WHERE search_vector @@ websearch_to_tsquery('english', 'waterproofing seas')`,
  );
  expect(JSON.stringify(plan)).toContain("products_search_vector_idx");
});

it("C103 a word in every row is found and counted within the time limit of a statement", async () => {
  const { data, meta } = await shop.list("/api/products?search=plain&limit=3&fields=id");
  expect([data.length, meta.total]).toEqual([3, 99_900]);
});
