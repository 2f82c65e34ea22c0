import { afterAll, beforeAll, expect, it } from "vitest";
import { requestAsDocumented } from "./document/request-as-documented.js";
import { type Shop, startShop } from "./shop.js";

let shop: Shop;
beforeAll(async () => {
  shop = await startShop();
});
afterAll(() => shop?.close());

// A sample of document-accepts.slow.test.ts, which covers all of this document and others: decimals, enums, relations,
// a text id, a compound key, filters.
it("C65 bodies and filters generated from the document are accepted, and responses are valid", async () => {
  const only = /^(createOneProduct|updateManyOrderItem|createManySetting|findManyTag)$/;
  const { issues, requests, accepted } = await requestAsDocumented(shop, { seed: 7, runs: 1, only });
  expect(issues).toEqual([]);
  expect(requests).toBeGreaterThan(20);
  expect(accepted).toBeGreaterThan(requests / 4);
});
