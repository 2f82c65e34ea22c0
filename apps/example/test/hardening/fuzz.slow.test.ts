import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { drawn, oneOf } from "../../../../scripts/test/slow-share.js";
import {
  type AccountDatabase,
  type AccountShop,
  createAccountDatabase,
  startAccounts,
} from "../accounts/account-shop.js";
import { fuzz } from "./fuzz.js";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Megabytes of the used heap after garbage collection. */
async function heap(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return process.memoryUsage().heapUsed / 2 ** 20;
}

describe.each(oneOf(["static", "dynamic"] as const))("C47 a shop with %s accounts", (accounts) => {
  let database: AccountDatabase;
  let shop: AccountShop;
  beforeAll(async () => {
    database = await createAccountDatabase();
    shop = await startAccounts({ database, accounts, config: { middlewares: { requestLogger: false } } });
  });
  afterAll(async () => {
    await shop?.close();
    await database?.drop();
  });

  it(`returns valid responses to ${drawn(10_000)} requests, and retains no memory of them`, {
    timeout: 3_600_000,
  }, async () => {
    await fuzz(shop, { client: database.client, runs: drawn(2_000) });
    const before = await heap();
    await fuzz(shop, { client: database.client, runs: drawn(8_000) });
    expect((await heap()) - before).toBeLessThan(50);
  });
});
