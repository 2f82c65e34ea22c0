import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import {
  type AccountDatabase,
  type AccountShop,
  bearer,
  createAccountDatabase,
  startAccounts,
} from "../accounts/account-shop.js";
import type { Row } from "../api.js";

describe.each(inject("accounts"))("with %s accounts", (accounts) => {
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

  const make = async (username: string, body: object = {}): Promise<string> => {
    const made = await shop.as(username, "POST", "/api/auth/keys", { name: "robot", ...body });
    expect(made.status, made.text).toBe(201);
    return String(made.body.data.key);
  };
  const call = (key: string, path: string, method = "GET", body?: unknown) =>
    shop.call<{ data: Row[] }>(method, path, body, { "x-api-key": key });

  it("C57 C72 a key reads the rows of its owner, and no others", async () => {
    const { customerId } = await database.own("ada");
    const orders = await call(await make("ada"), "/api/orders");
    expect(orders.status).toBe(200);
    expect(orders.body.data.length).toBeGreaterThan(0);
    expect(new Set(orders.body.data.map((order) => order.customerId))).toEqual(new Set([customerId]));
  });

  it("C72 a key whose owner was suspended, or deleted, is rejected, then and later", async () => {
    const key = await make("ben");
    const where = { username: "ben" };
    await database.client.user.update({ where, data: { isActive: false } });
    expect((await call(key, "/api/users/me")).status).toBe(401);
    await database.client.user.update({ where, data: { isActive: true, deletedAt: new Date() } });
    expect((await call(key, "/api/users/me")).status).toBe(401);
    await database.client.user.update({ where, data: { deletedAt: null } });
    expect((await call(key, "/api/users/me")).status).toBe(401);
  });

  it.each(["api_key", "apikey", "key", "X-API-Key", "access_token"])("C72 ?%s= does not authenticate", async (name) => {
    const key = await make("ada");
    expect((await fetch(`${shop.url}/api/users/me?${name}=${key}`)).status).toBe(401);
    expect((await fetch(`${shop.url}/api/users/me`, { headers: { cookie: `${name}=${key}` } })).status).toBe(401);
  });

  it("C72 a stolen key cannot change the account or create keys", async () => {
    const key = await make("root");
    for (const [method, path] of [
      ["POST", "/api/auth/keys"],
      ["GET", "/api/auth/sessions"],
      ["PATCH", "/api/users/me"],
      ["DELETE", "/api/users/1/sessions"],
    ] as const) {
      const response = await call(key, path, method, method === "GET" ? undefined : {});
      expect([path, response.status]).toEqual([path, 403]);
    }
  });

  it("C72 keys have no generated routes, and no relation returns them", async () => {
    const root = bearer(await shop.tokenOf("root"));
    expect((await shop.call("GET", "/api/auth-keys", undefined, root)).status).toBe(404);
    expect((await shop.call("GET", "/api/users?include=keys", undefined, root)).status).toBe(400);
  });

  it("C72 neither a key nor its hash is logged", async () => {
    const key = await make("ada");
    await call(key, "/api/orders");
    const { hash } = await database.client.authKey.findFirstOrThrow({ orderBy: { createdAt: "desc" } });
    expect(shop.log()).not.toContain(key.slice(-72));
    expect(shop.log()).not.toContain(hash);
  });
});
