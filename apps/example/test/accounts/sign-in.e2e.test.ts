import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Problem, Row } from "../api.js";
import {
  type AccountDatabase,
  type AccountShop,
  accountConfig,
  bearer,
  password,
  startAccounts,
} from "./account-shop.js";
import { claimsOf } from "./forge.js";
import { newUser, type Shops, startShops, startupIssue } from "./shops.js";

let shops: Shops;
let database: AccountDatabase;
let shop: AccountShop;
const open: Shops["open"] = (options) => shops.open(options);
beforeAll(async () => {
  shops = await startShops();
  ({ database, shop } = shops);
});
afterEach(() => shops?.closeOpened());
afterAll(() => shops?.close());

const ada = { username: "ada", password };

describe("C26 the login", () => {
  it.each([
    ["both", true, true],
    ["cookie-only", false, true],
    ["response-only", true, false],
  ] as const)("sends the token through %s", async (sendAccessTokenThrough, inBody, inCookie) => {
    const here = await open({ authentication: { login: { allowedUsernames: ["username"], sendAccessTokenThrough } } });
    const reply = await here.call<Record<string, unknown>>("POST", "/api/auth/login", ada);
    expect(Object.keys(reply.body).sort()).toEqual(
      inBody
        ? ["accessToken", "data", "expiresAt", "refreshExpiresAt", "refreshToken"]
        : ["data", "expiresAt", "refreshExpiresAt"],
    );
    expect(reply.headers.getSetCookie().map((one) => one.split("=")[0])).toEqual(
      inCookie ? ["access_token", "refresh_token", "known_device"] : [],
    );
    expect(reply.headers.get("cache-control")).toBe("no-store");
    const change = { currentPassword: password, newPassword: password };
    const cookie = reply.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    const headers = inCookie ? { cookie } : bearer(String(reply.body.accessToken));
    const again = await here.call<Record<string, unknown>>("POST", "/api/auth/update-password", change, headers);
    expect([again.status, "accessToken" in again.body, again.headers.getSetCookie().length > 0]).toEqual([
      200,
      inBody,
      inCookie,
    ]);
  });

  it.each([
    ["development", {}, ["HttpOnly", "SameSite=Lax"]],
    ["test", {}, ["HttpOnly", "SameSite=Lax"]],
    ["production", {}, ["HttpOnly", "SameSite=None", "Secure"]],
    ["production", { JWT_COOKIE_SECURE: "false", JWT_COOKIE_SAME_SITE: "lax" }, ["HttpOnly", "SameSite=Lax"]],
    ["production", { JWT_COOKIE_SAME_SITE: "strict" }, ["HttpOnly", "SameSite=Strict", "Secure"]],
    ["development", { JWT_COOKIE_HTTP_ONLY: "false", JWT_COOKIE_SECURE: "true" }, ["SameSite=Lax", "Secure"]],
  ])("sets the cookie's flags %s with %j to %j", async (NODE_ENV, variables, flags) => {
    const here = await open({
      environment: { NODE_ENV, JWT_SECRET: randomBytes(48).toString("base64url"), ...variables },
    });
    const { headers } = await here.call("POST", "/api/auth/login", ada);
    const [first, ...rest] = (headers.getSetCookie()[0] ?? "").split("; ");
    expect(first).toMatch(/^access_token=[\w-]+\.[\w-]+\.[\w-]+$/);
    const known = rest.filter((flag) => !/^(Path|Max-Age|Expires)=/.test(flag));
    expect(known.sort()).toEqual(flags);
    expect(rest).toContain("Path=/");
    expect(rest.some((flag) => flag.startsWith("Domain"))).toBe(false);
  });

  it("accepts each of allowedUsernames", async () => {
    const byMail = { email: "ada@harbour-pine.example", password };
    expect((await shop.call("POST", "/api/auth/login", byMail)).status).toBe(200);
  });

  it("C23 JWT_EXPIRES_IN sets the lifetime of the token", async () => {
    const here = await open({ environment: { JWT_EXPIRES_IN: "15m" } });
    const { iat, exp } = claimsOf(await here.tokenOf("ada")) as { iat: number; exp: number };
    expect(exp - iat).toBe(900);
  });
});

describe("C24 the secret", () => {
  it("can be rotated: all verify, the first signs", async () => {
    const [older, newer] = ["older", "newer"].map(() => randomBytes(48).toString("base64url"));
    const before = await open({ environment: { JWT_SECRET: older } });
    const during = await open({ environment: { JWT_SECRET: `${newer},${older}` } });
    const after = await open({ environment: { JWT_SECRET: newer } });
    const [first, second] = [await before.tokenOf("ada"), await during.tokenOf("ada")];
    const me = async (at: AccountShop, token: string) =>
      (await at.call("GET", "/api/users/me", undefined, bearer(token))).status;
    expect([await me(before, first), await me(during, first), await me(after, first)]).toEqual([200, 200, 401]);
    expect([await me(before, second), await me(during, second), await me(after, second)]).toEqual([401, 200, 200]);
  });

  it.each([
    ["missing", {}, /JWT_SECRET/],
    ["short in production", { NODE_ENV: "production", JWT_SECRET: "short" }, /at least 32/],
    [
      "a placeholder in production",
      { NODE_ENV: "production", JWT_SECRET: "change-me-change-me-change-me-change-me" },
      /placeholder/,
    ],
  ])("that is %s prevents startup", async (_, environment, message) => {
    expect(await startupIssue(database, accountConfig({ accounts: "static" }), environment)).toMatch(message);
  });
});

describe("C31 requests with the cookie across sites", () => {
  let here: AccountShop;
  let cookie: string;
  const send = async (method: string, path: string, headers: Record<string, string>, body?: unknown) => {
    const reply = await here.call<Problem>(method, path, body, { cookie, ...headers });
    return reply.status >= 400 ? `${reply.status} ${reply.body.code}` : reply.status;
  };
  beforeAll(async () => {
    here = await startAccounts({
      database,
      accounts: "static",
      config: { middlewares: { cors: { allowedOrigins: ["https://shop.example"], options: { credentials: true } } } },
    });
    const { headers } = await here.call("POST", "/api/auth/login", { username: "edda", password });
    cookie = headers.getSetCookie()[0]?.split(";")[0] ?? "";
  });
  afterAll(() => here?.close());

  it.each([
    ["a foreign origin", { origin: "https://evil.example" }],
    ["a null origin", { origin: "null" }],
    ["a foreign site", { "sec-fetch-site": "cross-site" }],
    ["a sibling site", { "sec-fetch-site": "same-site" }],
    ["an origin that begins alike", { origin: "https://shop.example.evil.example" }],
    ["an origin in other letters", { origin: "https://SHOP.example:444" }],
    ["an origin over http", { origin: "http://shop.example" }],
    ["a foreign origin that claims the site is its own host", { origin: "https://evil.example", host: "evil.example" }],
  ])("%s is 403 on every unsafe method", async (name, { host: _, ...headers }: Record<string, string>) => {
    for (const [method, path] of [
      ["POST", "/api/tags"],
      ["PATCH", "/api/tags/1"],
      ["DELETE", "/api/tags/999999"],
      ["DELETE", "/api/auth/logout"],
      ["PATCH", "/api/users/me"],
      ["POST", "/api/uploads/images"],
    ] as const) {
      expect(`${name} ${await send(method, path, headers)}`).toBe(`${name} 403 CrossSiteRequest`);
    }
  });

  it("a login from a foreign page is rejected", async () => {
    expect(await send("POST", "/api/auth/login", { origin: "https://evil.example" }, ada)).toBe("403 CrossSiteRequest");
  });

  it("an allowed origin, the same origin, a client other than a browser and a safe method pass", async () => {
    const path = "/api/tags/999999";
    expect(await send("DELETE", path, { origin: "https://shop.example", "sec-fetch-site": "cross-site" })).toBe(
      "404 NotFound",
    );
    expect(await send("DELETE", path, { origin: here.url })).toBe("404 NotFound");
    expect(await send("DELETE", path, { "sec-fetch-site": "same-origin" })).toBe("404 NotFound");
    expect(await send("DELETE", path, {})).toBe("404 NotFound");
    expect(await send("GET", "/api/users/me", { origin: "https://evil.example" })).toBe(200);
  });

  it("a token in the header is accepted from anywhere", async () => {
    const token = await here.tokenOf("edda");
    const headers = { ...bearer(token), origin: "https://evil.example" };
    expect((await here.call("DELETE", "/api/tags/999999", undefined, headers)).status).toBe(404);
  });

  it.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])(
    "a simple form as %s writes nothing",
    async (type) => {
      const before = await database.client.tag.count();
      const headers = { cookie, "content-type": type };
      const response = await fetch(`${here.url}/api/tags`, { method: "POST", headers, body: '{"name":"form"}' });
      expect(response.status).toBe(415);
      expect(await database.client.tag.count()).toBe(before);
    },
  );
});

describe("C28 the current user", () => {
  it("is read, updated, and marked as deleted", async () => {
    const body = { ...newUser("leaver"), password: "a long password" };
    await shop.call("POST", "/api/auth/signup", body);
    const token = await shop.tokenOf("leaver", body.password);
    const me = (method: string, change?: object) =>
      shop.call<{ data: Row }>(method, "/api/users/me", change, bearer(token));
    expect((await me("GET")).body.data).toMatchObject(newUser("leaver"));
    expect((await me("PATCH", { username: "leaver2", currentPassword: body.password })).body.data.username).toBe(
      "leaver2",
    );
    const gone = await me("DELETE");
    expect([gone.status, gone.headers.getSetCookie()[0]]).toEqual([204, expect.stringMatching(/^access_token=;/)]);
    expect((await me("GET")).status).toBe(401);
    const row = await database.client.user.findUniqueOrThrow({ where: { username: "leaver2" } });
    expect(row.deletedAt).toBeInstanceOf(Date);
    const again = await shop.call("POST", "/api/auth/login", { username: "leaver2", password: body.password });
    expect(again.status).toBe(401);
  });

  it("has lastLoginAt and passwordChangedAt, which no body can set", async () => {
    const before = Date.now();
    await shop.tokenOf("ben");
    const { id, lastLoginAt } = await database.client.user.findUniqueOrThrow({ where: { username: "ben" } });
    expect(lastLoginAt?.getTime()).toBeGreaterThanOrEqual(before);
    for (const name of ["lastLoginAt", "passwordChangedAt"]) {
      const change = { [name]: "2020-01-01T00:00:00Z" };
      expect((await shop.as("root", "PATCH", `/api/users/${id}`, change)).status).toBe(400);
    }
  });
});
