import { afterAll, beforeAll, expect, it } from "vitest";
import { connectAgent } from "../call-mcp.js";
import {
  type AccountDatabase,
  type AccountShop,
  bearer,
  createAccountDatabase,
  startAccounts,
} from "./account-shop.js";

let database: AccountDatabase;
let shop: AccountShop;
beforeAll(async () => {
  database = await createAccountDatabase();
  shop = await startAccounts({ database, accounts: "static", config: { mcp: {} } });
});
afterAll(async () => {
  await shop?.close();
  await database?.drop();
});

it("C75 an agent reads with the permissions of its caller, and sees nothing else", async () => {
  const ada = await connectAgent(shop.url, bearer(await shop.tokenOf("ada")));
  expect(await ada.tools()).toEqual(["list_resources", "describe_resource", "find", "aggregate", "read"]);
  const resources = await ada.resources();
  expect(resources).toContain("orders");
  expect(resources).not.toContain("suppliers");
  expect(JSON.stringify(await ada.describe("products"))).not.toMatch(/stock"|suppliers|purchasePrice/);
  const { customerId } = await database.own("ada");
  const orders = await ada.call("find", { resource: "orders", fields: ["customerId"], limit: 100 });
  expect(new Set(orders.json().data.map((row) => row.customerId))).toEqual(new Set([customerId]));
  const rejected = await ada.call("find", { resource: "products", where: { stock: { gt: 0 } } });
  expect(rejected).toMatchObject({ isError: true, text: expect.stringContaining("stock") });
});

it("C75 a page of another origin is rejected", async () => {
  const headers = { origin: "https://evil.example", "content-type": "application/json" };
  const response = await fetch(`${shop.url}/api/mcp`, { method: "POST", headers, body: '{"jsonrpc":"2.0"}' });
  expect(response.status).toBe(403);
});

it("C75 is off until it is configured", async () => {
  const other = await startAccounts({ database, accounts: "static" });
  expect((await fetch(`${other.url}/api/mcp`, { method: "POST" })).status).toBe(404);
  await other.close();
});
