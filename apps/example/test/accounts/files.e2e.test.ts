import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type AccountDatabase,
  type AccountShop,
  bearer,
  createAccountDatabase,
  startAccounts,
} from "./account-shop.js";

describe.each(["static", "dynamic"] as const)("C104 files with %s accounts", (accounts) => {
  let database: AccountDatabase;
  let shop: AccountShop;
  beforeAll(async () => {
    database = await createAccountDatabase();
    shop = await startAccounts({ database, accounts });
  });
  afterAll(async () => {
    await shop?.close();
    await database?.drop();
  });

  const call = async (who: string | undefined, path: string, init: RequestInit) => {
    const authorization = who === undefined ? {} : bearer(await shop.tokenOf(who));
    const response = await fetch(shop.url + path, { ...init, headers: { ...init.headers, ...authorization } });
    return { status: response.status, text: await response.text() };
  };
  const exported = (who: string | undefined, query = "") =>
    call(who, `/api/orders?sort=id${query}`, { headers: { accept: "text/csv" } });
  const imported = (who: string | undefined, text: string, query = "?dryRun=true") =>
    call(who, `/api/products/many${query}`, { method: "POST", headers: { "content-type": "text/csv" }, body: text });
  const idsOf = (text: string) =>
    text
      .split("\r\n")
      .slice(1, -1)
      .map((line) => Number(line.split(",")[0]));

  it("contain the orders and the fields that the caller may list", async () => {
    expect((await exported(undefined)).status).toBe(401);
    const { customerId } = await database.own("ada");
    const own = await database.client.order.findMany({ where: { customerId }, orderBy: { id: "asc" } });
    const ofAda = await exported("ada", "&fields=id,reference");
    expect([ofAda.status, idsOf(ofAda.text)]).toEqual([200, own.map(({ id }) => id)]);
    const complete = await exported("ada", "&include=customer");
    expect(complete.text).not.toMatch(/clientIp/);
    expect((await exported("ada", "&fields=clientIp")).status).toBe(400);
    const ofAll = await exported("root", "&fields=id,clientIp");
    expect(idsOf(ofAll.text)).toHaveLength(await database.client.order.count());
  });

  it("create products only for callers who may create them", async () => {
    const file = "sku,name,price,categoryId\nACC-0001,Mug,12.50,1\n";
    expect((await imported(undefined, file)).status).toBe(401);
    expect((await imported("ada", file)).status).toBe(403);
    const { status, text } = await imported("root", file);
    expect([status, JSON.parse(text)]).toEqual([200, { meta: { count: 1, dryRun: true } }]);
    expect(await database.client.product.count({ where: { sku: "ACC-0001" } })).toBe(0);
  });
});
