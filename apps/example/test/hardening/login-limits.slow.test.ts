import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { oneOf } from "../../../../scripts/test/slow-share.js";
import {
  type AccountDatabase,
  type AccountShop,
  type AccountShopOptions,
  createAccountDatabase,
  password,
  startAccounts,
} from "../accounts/account-shop.js";
import type { Problem } from "../api.js";

describe.each(oneOf(["static", "dynamic"] as const))(
  "C32 the rate limits of authentication, with %s accounts",
  (accounts) => {
    let database: AccountDatabase;
    const opened: AccountShop[] = [];
    beforeAll(async () => {
      database = await createAccountDatabase();
    });
    afterEach(async () => {
      for (const one of opened.splice(0)) await one.close();
    });
    afterAll(() => database?.drop());

    const limited = async (config: AccountShopOptions["config"] = {}, rateLimit: object = { windowMs: 60_000 }) => {
      const made = await startAccounts({ database, accounts, authentication: { rateLimit }, config });
      opened.push(made);
      return made;
    };
    const statuses = async (count: number, send: (at: number) => Promise<{ status: number }>) => {
      const all: number[] = [];
      for (let at = 0; at < count; at++) all.push((await send(at)).status);
      return all;
    };
    const passed = (all: readonly number[]) => all.filter((status) => status !== 429).length;

    it("allow 10 of 25 attempts with varied bodies, names, paths and forwarded addresses", async () => {
      const here = await limited();
      const paths = ["/api/auth/login", "/api/auth/login/", "/API/auth/Login", "/api/auth/login?x=1"];
      const all = await statuses(25, (at) =>
        here.call(
          "POST",
          paths[at % 4] ?? "",
          { username: `user${at}`, password: `wrong ${at}` },
          {
            "x-forwarded-for": `10.0.0.${at}`,
            forwarded: `for=10.0.0.${at}`,
            "x-real-ip": `10.0.0.${at}`,
          },
        ),
      );
      expect([passed(all), all.slice(10)]).toEqual([10, Array(15).fill(429)]);
    });

    it("are shared by all routes below /api/auth, count rejected bodies, and are separate from other routes", async () => {
      const here = await limited();
      const all = await statuses(11, (at) =>
        at % 2 === 0 ? here.call("POST", "/api/auth/signup", {}) : here.call("DELETE", "/api/auth/logout"),
      );
      expect(passed(all)).toBe(10);
      const last = await here.call<Problem>("POST", "/api/auth/login", { username: "ada", password });
      expect(last.body).toMatchObject({ status: 429, code: "TooManyRequests", detail: "Too many requests" });
      expect(Number(last.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(last.headers.get("cache-control")).toBe("no-store");
      expect((await here.call("GET", "/api/tags")).status).toBe(200);
      expect((await here.call("GET", "/api/users/me")).status).toBe(401);
    });

    it("replace the global limit", async () => {
      // One more for the API's document, which the tests read.
      const here = await limited({ middlewares: { rateLimit: { limit: 4 } } });
      expect(passed(await statuses(12, () => here.call("POST", "/api/auth/login", {})))).toBe(10);
      expect(passed(await statuses(5, () => here.call("GET", "/api/tags")))).toBe(3);
    });

    it("allow requests again after their window, 5 s by default", async () => {
      const here = await limited({}, {});
      expect(here.service.config.authentication?.rateLimit).toMatchObject({ windowMs: 5000, limit: 10 });
      const quick = await limited({}, { windowMs: 2000, limit: 2 });
      await quick.call("GET", "/api");
      expect(passed(await statuses(4, () => quick.call("POST", "/api/auth/login", {})))).toBe(2);
      await new Promise((resolve) => setTimeout(resolve, 2050));
      expect((await quick.call("POST", "/api/auth/login", {})).status).toBe(400);
    });

    it("C60 count failures by account name and network, and do not affect others", async () => {
      const here = await limited({ trustProxy: 1 });
      const names = ["will", "WILL", " will", "ｗill"];
      const all = await statuses(14, (at) =>
        here.call(
          "POST",
          "/api/auth/login",
          { username: names[at % 4], password: "wrong" },
          { "x-forwarded-for": `2001:db8:0:1::${at + 1}` },
        ),
      );
      expect(passed(all)).toBe(10);
      for (const username of ["ben", "will"]) {
        const elsewhere = { "x-forwarded-for": "10.1.1.1" };
        expect((await here.call("POST", "/api/auth/login", { username, password }, elsewhere)).status).toBe(200);
      }
    });

    it("can have a custom message as the detail", async () => {
      const here = await limited({}, { windowMs: 60_000, limit: 1, message: "Slow down" });
      await here.call("POST", "/api/auth/login", {});
      expect((await here.call<Problem>("POST", "/api/auth/login", {})).body.detail).toBe("Slow down");
    });
  },
);
