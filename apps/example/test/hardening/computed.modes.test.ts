import type { ModelConfig, ServiceInitConfig } from "@servicekit/service";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { z } from "zod";
import { readAccounts } from "../../src/accounts/accounts.js";
import {
  type AccountDatabase,
  type AccountShop,
  bearer,
  createAccountDatabase,
  startAccounts,
} from "../accounts/account-shop.js";
import type { Row } from "../api.js";
import { connectAgent } from "../call-mcp.js";

let database: AccountDatabase;
beforeAll(async () => {
  database = await createAccountDatabase();
});
afterAll(() => database?.drop());

describe.each(inject("accounts"))("C102 computed fields, with %s accounts", (accounts) => {
  let shop: AccountShop;
  const opened: AccountShop[] = [];
  const open = async (models: NonNullable<ServiceInitConfig["models"]>): Promise<AccountShop> => {
    const made = await startAccounts({ database, accounts, config: { models } });
    opened.push(made);
    return made;
  };
  beforeAll(async () => {
    shop = await startAccounts({ database, accounts, config: { mcp: {} } });
  });
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
  });
  afterAll(() => shop?.close());
  const dataOf = async (who: string | undefined, path: string, where = shop) =>
    (await where.as<{ data: Row & Row[] }>(who, "GET", `/api${path}`)).body.data;

  const text = ({ street, postalCode, city, country }: Row) => `${street}, ${postalCode} ${city}, ${country}`;

  it("are part of every response with the row", async () => {
    const { customerId, addressId, orderId } = await database.own("ada");
    const own = await database.client.address.findUniqueOrThrow({ where: { id: addressId } });
    expect((await dataOf("ada", `/addresses/${addressId}`)).formatted).toBe(text(own));
    expect(await dataOf("ada", `/addresses/${addressId}?fields=formatted`)).toEqual({ formatted: text(own) });
    const listed = await dataOf("ada", "/addresses");
    expect(listed.map(({ formatted }) => formatted)).toEqual(listed.map(text));
    const order = await dataOf("ada", `/orders/${orderId}?include=shippingAddress,customer.addresses`);
    expect((order.shippingAddress as Row).formatted).toBe(text(order.shippingAddress as Row));
    for (const one of (order.customer as { addresses: Row[] }).addresses) expect(one.formatted).toBe(text(one));
    const body = {
      label: `new ${accounts}`,
      street: "1 Quay",
      postalCode: "1000",
      city: "Port",
      country: "BE",
      customerId,
    };
    const made = await shop.as("ada", "POST", "/api/addresses", body);
    expect([made.status, made.body.data.formatted]).toEqual([201, "1 Quay, 1000 Port, BE"]);
    const path = `/api/addresses/${made.body.data.id}`;
    expect((await shop.as("ada", "PATCH", path, { city: "Bay" })).body.data.formatted).toBe("1 Quay, 1000 Bay, BE");
    expect((await shop.as("ada", "DELETE", path)).status).toBe(204);
  });

  it("are neither written nor queried", async () => {
    const { addressId } = await database.own("ada");
    const written = await shop.as("ada", "PATCH", `/api/addresses/${addressId}`, { formatted: "x" });
    expect(written.status).toBe(400);
    for (const query of ["formatted=x", "sort=formatted", "formatted__contains=x"])
      expect((await shop.as("ada", "GET", `/api/addresses?${query}`)).status).toBe(400);
    expect((await shop.as("ada", "GET", "/api/orders?shippingAddress__formatted=x")).status).toBe(400);
  });

  it("are in the discovery of callers who may read the model", async () => {
    const resources = (await dataOf("ada", "/available-resources")) as unknown as { name: string; fields: Row[] }[];
    const address = resources.find(({ name }) => name === "address");
    expect(address?.fields.find(({ name }) => name === "formatted")).toEqual({
      ...{ name: "formatted", type: "String", required: true, unique: false, list: false, computed: true },
    });
  });

  it("are described and read by the tools of MCP", async () => {
    const ada = await connectAgent(shop.url, bearer(await shop.tokenOf("ada")));
    const { fields, filters } = await ada.describe("addresses");
    expect(fields).toMatchObject({ formatted: "String, computed. The address in one line." });
    expect(JSON.stringify(filters)).not.toContain("formatted");
    const { data } = (await ada.call("find", { resource: "addresses", fields: ["formatted"], limit: 1 })).json();
    expect(data).toEqual([{ formatted: expect.stringMatching(/., ./) }]);
    const rejected = await ada.call("find", { resource: "addresses", sort: ["formatted"] });
    expect(rejected).toMatchObject({ isError: true, text: expect.stringContaining("computed field") });
  });

  it("are left out for callers who may not read what they need", async () => {
    const { Product, ...models } = readAccounts(accounts).models;
    const computed: ModelConfig["computed"] = {
      isInStock: { type: z.boolean(), needs: ["stock"], compute: ({ stock }) => Number(stock) > 0 },
      // Of a field that is hidden from everyone.
      hasMargin: {
        type: z.boolean(),
        needs: ["price", "purchasePrice"],
        compute: ({ price, purchasePrice }) => Number(price) > Number(purchasePrice),
      },
    };
    const inferred = await open({ ...models, Product: { ...Product, computed } as ModelConfig });
    const { id } = await database.client.product.findFirstOrThrow({ where: { stock: { gt: 0 } } });
    const anonymous = await dataOf(undefined, `/products/${id}`, inferred);
    expect([anonymous.isInStock, anonymous.stock, anonymous.hasMargin]).toEqual([undefined, undefined, true]);
    expect(anonymous).not.toHaveProperty("purchasePrice");
    const staff = await dataOf("edda", `/products/${id}`, inferred);
    expect([staff.isInStock, staff.stock]).toEqual([true, expect.any(Number)]);
    for (const query of ["fields=isInStock", "fields=id,isInStock", "sort=isInStock", "isInStock=true"])
      expect((await inferred.as(undefined, "GET", `/api/products?${query}`)).status, query).toBe(400);
    const { auth } = Product as ModelConfig;
    const fields = { ...auth?.fields, "*": [...(auth?.fields?.["*"] ?? []), "isInStock"] };
    const explicit = await open({
      ...models,
      Product: { ...Product, computed, auth: { ...auth, fields } } as ModelConfig,
    });
    const shown = await dataOf(undefined, `/products/${id}`, explicit);
    expect([shown.isInStock, shown.stock]).toEqual([true, undefined]);
  });
});
