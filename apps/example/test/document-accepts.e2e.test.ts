import { afterAll, beforeAll, expect, it } from "vitest";
import { askAsDocumented } from "./document/ask-as-documented.js";
import { type Shop, startShop } from "./shop.js";

let shop: Shop;
beforeAll(async () => {
  shop = await startShop();
});
afterAll(() => shop?.close());

// A slice of document-accepts.proof.test.ts, which asks all of this document and others: decimals, enums, relations, a
// text id, a key of several fields, filters.
it("C65 F23 bodies and filters that are made of the document are accepted, and answers are what it says", async () => {
  const only = /^(createOneProduct|updateManyOrderItem|createManySetting|findManyTag)$/;
  const { faults, requests, accepted } = await askAsDocumented(shop, { seed: 7, runs: 1, only });
  expect(faults).toEqual([]);
  expect(requests).toBeGreaterThan(20);
  expect(accepted).toBeGreaterThan(requests / 4);
});
