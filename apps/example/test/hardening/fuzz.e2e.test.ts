import { afterAll, beforeAll, it } from "vitest";
import {
  type AccountDatabase,
  type AccountShop,
  createAccountDatabase,
  startAccounts,
} from "../accounts/account-shop.js";
import { fuzz } from "./fuzz.js";

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

it("R9 C47 answers whatever is sent as its own document says", { timeout: 300_000 }, async () => {
  await fuzz(shop, { client: database.client, runs: 500 });
});
