import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Shop, startShop } from "./shop.js";

let shop: Shop;
beforeAll(async () => {
  shop = await startShop();
});
afterAll(() => shop?.close());

it("C75 the schemas alone validate the rows of responses", async () => {
  const response = await fetch(`${shop.url}/api/api-docs/schemas.json`);
  expect(response.status).toBe(200);
  const body = (await response.json()) as { readonly $defs: object };
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
  ajv.addSchema(body, "shop");
  for (const name of Object.keys(body.$defs)) expect(ajv.getSchema(`shop#/$defs/${name}`), name).toBeTypeOf("function");
  const isProduct = ajv.compile({ $ref: "shop#/$defs/Product" });
  const row = await shop.one("GET", "/api/products/1");
  expect([isProduct(row), isProduct.errors]).toEqual([true, null]);
  expect(isProduct({ ...row, price: 1 })).toBe(false);
});

it("C75 llms.txt lists each operation of the document under the description of its model", async () => {
  const text = await (await fetch(`${shop.url}/api/api-docs/llms.txt`)).text();
  expect(text).toMatch(/^# Harbour & Pine\n\n> A small shop/);
  expect(text).toContain("\n## Category\n\nA node of the category tree.\n\n");
  const { body } = await shop.call<{ paths: Record<string, object> }>("GET", "/api/api-docs.json");
  const operations = Object.entries(body.paths).flatMap(([path, each]) =>
    Object.keys(each).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const named = [...text.matchAll(/^- `([^`]+)`/gm)].map(([, operation]) => operation);
  expect(named.sort()).toEqual(operations.sort());
});
