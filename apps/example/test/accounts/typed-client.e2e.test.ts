import { isApiError, makeClient } from "@servicekit/client";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Api } from "../../src/generated/service/api.js";
import {
  type AccountDatabase,
  type AccountShop,
  createAccountDatabase,
  password,
  startAccounts,
} from "./account-shop.js";

let database: AccountDatabase;
let shop: AccountShop;
beforeAll(async () => {
  database = await createAccountDatabase();
  shop = await startAccounts({ database, accounts: "static" });
});
afterAll(async () => {
  await shop?.close();
  await database?.drop();
});

it("C74 C72 signs in, continues with a new token when its own has expired, and signs out", async () => {
  const paths: string[] = [];
  let hasEnded = false;
  const client = makeClient<Api>({
    baseUrl: shop.url,
    fetch: (request) => {
      const path = new URL(request.url).pathname;
      paths.push(path);
      if (path === "/api/auth/refresh") hasEnded = false;
      else if (hasEnded) request.headers.set("authorization", "Bearer ended");
      return fetch(request);
    },
  });
  const anonymous = await client.auth.me().catch((error: unknown) => error);
  expect(isApiError(anonymous, "Unauthorized")).toBe(true);
  const { data: user } = await client.auth.signIn({ username: "will", password });
  expect(user.username).toBe("will");
  hasEnded = true;
  const responses = await Promise.all([client.auth.me(), client.orders.list({ fields: ["id"], limit: 1 })]);
  expect(responses[0].data).toMatchObject({ id: user.id, username: "will" });
  expect(paths.filter((path) => path === "/api/auth/refresh")).toHaveLength(1);
  await client.auth.signOut();
  expect(isApiError(await client.auth.me().catch((error: unknown) => error), "Unauthorized")).toBe(true);
  const wrong = await client.auth.signIn({ username: "will", password: "wrong" }).catch((error: unknown) => error);
  expect(isApiError(wrong, "InvalidCredentials")).toBe(true);
});
