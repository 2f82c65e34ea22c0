import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasRedisServer, type RedisServer, startRedisServer } from "../../../../scripts/test/redis-server.js";
import type { Problem } from "../api.js";
import {
  type AccountDatabase,
  type AccountShop,
  bearer,
  createAccountDatabase,
  password,
  startAccounts,
} from "./account-shop.js";

const hasRedis = hasRedisServer();

describe.skipIf(!hasRedis)("two instances that share a Redis", () => {
  let redis: RedisServer;
  let database: AccountDatabase;
  let shops: readonly [AccountShop, AccountShop];
  let tokenOfBen: string;
  beforeAll(async () => {
    redis = await startRedisServer();
    database = await createAccountDatabase();
    const start = () =>
      startAccounts({
        database,
        accounts: "static",
        authentication: { rateLimit: { windowMs: 60_000, limit: 12 } },
        config: { redis: { url: redis.url } },
      });
    shops = [await start(), await start()];
    tokenOfBen = await shops[0].tokenOf("ben");
  });
  afterAll(async () => {
    for (const shop of shops ?? []) await shop.close();
    redis?.kill();
    await database?.drop();
  });
  const me = (shop: AccountShop, token: string) =>
    shop.call<Problem>("GET", "/api/users/me", undefined, { authorization: `Bearer ${token}` });

  it("C28 reject a token on both after a logout on one, and no other token", async () => {
    const [one, other] = shops;
    const [token, second] = [await one.tokenOf("ada"), await one.tokenOf("ada")];
    expect([(await me(one, token)).status, (await me(other, token)).status]).toEqual([200, 200]);
    await one.call("DELETE", "/api/auth/logout", undefined, { authorization: `Bearer ${token}` });
    expect([(await me(one, token)).status, (await me(other, token)).status, (await me(other, second)).status]).toEqual([
      401, 401, 200,
    ]);
  });

  it("C32 count attempts together", async () => {
    const statuses: number[] = [];
    for (let at = 0; at < 16; at++) {
      const shop = shops[at % 2 === 0 ? 0 : 1];
      statuses.push((await shop.call("POST", "/api/auth/login", { username: `x${at}`, password })).status);
    }
    // Three logins and a logout were counted before.
    expect(statuses.filter((status) => status !== 429).length).toBe(8);
  });

  it("C72 accept tokens by their sessions in the database while Redis is unavailable", async () => {
    const [one] = shops;
    const gone = once(redis.process, "exit");
    redis.kill();
    await gone;
    expect((await me(one, tokenOfBen)).status).toBe(200);
    expect((await one.call("DELETE", "/api/auth/logout", undefined, bearer(tokenOfBen))).status).toBe(204);
    for (const shop of shops) expect((await me(shop, tokenOfBen)).status).toBe(401);
    expect((await one.call("GET", "/api/tags")).status).toBe(200);
  });
});
