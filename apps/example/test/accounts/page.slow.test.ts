import http from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isBrowserMissing, startBrowser } from "../../../../packages/openapi/test/browser.js";
import {
  type AccountDatabase,
  type AccountShop,
  createAccountDatabase,
  password,
  startAccounts,
} from "./account-shop.js";

/** A page of its own origin: a host name and a free port. */
async function serveEmptyPage(host: string) {
  const server = http.createServer((_request, response) => {
    response.setHeader("content-type", "text/html");
    response.end("<!doctype html><link rel=icon href=data:,><title>Another origin</title>");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://${host}:${(server.address() as AddressInfo).port}`;
  return { origin, close: () => new Promise<void>((resolve) => server.close(() => resolve())) };
}

type Seen = { status: number; body: string } | { failed: string };

describe.skipIf(isBrowserMissing())("C31 pages of other origins, in a real browser", () => {
  let database: AccountDatabase;
  let shop: AccountShop;
  let url: string;
  let browser: Browser;
  let page: Page;
  const origins: Record<string, Awaited<ReturnType<typeof serveEmptyPage>>> = {};

  beforeAll(async () => {
    database = await createAccountDatabase();
    Object.assign(origins, {
      shopPage: await serveEmptyPage("localhost"),
      sibling: await serveEmptyPage("localhost"),
      foreign: await serveEmptyPage("127.0.0.1"),
    });
    const allowedOrigins = [origins.shopPage?.origin ?? ""];
    shop = await startAccounts({
      database,
      accounts: "static",
      authentication: { login: { sendAccessTokenThrough: "cookie-only", allowedUsernames: ["username"] } },
      config: { middlewares: { cors: { allowedOrigins, options: { credentials: true } } } },
    });
    url = shop.url.replace("127.0.0.1", "localhost");
    browser = await startBrowser();
    page = await (await browser.newContext()).newPage();
  });
  afterAll(async () => {
    await browser?.close();
    await shop?.close();
    for (const origin of Object.values(origins)) await origin.close();
    await database?.drop();
  });

  /** What a script of the page receives. */
  const send = (method: string, path: string, body?: unknown, options: RequestInit = {}): Promise<Seen> =>
    page.evaluate(
      async ({ target, init }) => {
        try {
          const response = await fetch(target, init);
          return { status: response.status, body: await response.text() };
        } catch (error) {
          return { failed: String(error) };
        }
      },
      {
        target: `${url}/api${path}`,
        init: {
          method,
          credentials: "include" as const,
          ...(body === undefined
            ? {}
            : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
          ...options,
        },
      },
    );
  const visit = (name: string) => page.goto(origins[name]?.origin ?? "");
  const status = async (seen: Promise<Seen>) => {
    const reply = await seen;
    return "status" in reply ? reply.status : reply.failed;
  };

  it("the shop's own page signs up, signs in by cookie, reads, writes and signs out", async () => {
    await visit("shopPage");
    const user = { username: "browser", email: "browser@example.com", password: "a long password" };
    expect(await status(send("POST", "/auth/signup", user))).toBe(201);
    expect(await status(send("GET", "/users/me"))).toBe(401);
    const login = await send("POST", "/auth/login", { username: user.username, password: user.password });
    expect(login).toMatchObject({ status: 200 });
    expect(JSON.stringify(login)).not.toMatch(/accessToken|refreshToken/);
    // Scripts cannot read the cookies, which exist.
    expect(await page.evaluate(() => document.cookie)).toBe("");
    const cookies = (await page.context().cookies(url)).map(({ name, httpOnly }) => `${name} ${httpOnly}`).sort();
    expect(cookies).toEqual(["access_token true", "known_device true", "refresh_token true"]);
    const me = JSON.parse(((await send("GET", "/users/me")) as { body: string }).body) as {
      data: { customerId: string };
    };
    const { customerId } = me.data;
    const address = { label: "Hut", street: "Way 1", postalCode: "1", city: "Lyon", country: "FR", customerId };
    expect(await status(send("POST", "/addresses", address))).toBe(201);
    expect(await send("GET", "/addresses?fields=label")).toMatchObject({
      status: 200,
      body: expect.stringContaining("Hut"),
    });
    expect(await status(send("POST", "/tags", { name: "by a customer" }))).toBe(403);
    expect(await status(send("DELETE", "/auth/logout"))).toBe(204);
    // The device remains known, which is no authentication.
    expect((await page.context().cookies(url)).map(({ name }) => name)).toEqual(["known_device"]);
    expect(await status(send("GET", "/users/me"))).toBe(401);
  });

  it("a page of a foreign origin, on the same site and on another, neither reads nor writes with the user's cookie", async () => {
    await visit("shopPage");
    expect(await status(send("POST", "/auth/login", { username: "edda", password }))).toBe(200);
    const before = await database.client.tag.count();
    for (const name of ["sibling", "foreign"]) {
      await visit(name);
      expect(await status(send("GET", "/users/me"))).toMatch(/Failed to fetch/);
      expect(await status(send("POST", "/tags", { name: `by ${name}` }))).toMatch(/Failed to fetch/);
      expect(await status(send("DELETE", "/auth/logout"))).toMatch(/Failed to fetch/);
      // A simple request: it is sent without a preflight, and rejected by the server.
      const simple = { mode: "no-cors" as const, headers: { "content-type": "text/plain" }, body: '{"name":"simple"}' };
      await send("POST", "/tags", undefined, simple);
      await page.setContent(
        `<form method="post" action="${url}/api/tags"><input name="name" value="form"></form><script>document.forms[0].submit()</script>`,
      );
      await page.waitForURL(/\/api\/tags$/);
      expect(await page.content()).toMatch(/CrossSiteRequest|UnsupportedMediaType|Unauthorized/);
    }
    expect(await database.client.tag.count()).toBe(before);
    await visit("shopPage");
    expect(await status(send("GET", "/users/me"))).toBe(200);
  });

  it("a foreign page cannot sign its visitor in to another account", async () => {
    await page.context().clearCookies();
    await visit("foreign");
    const body = {
      mode: "no-cors" as const,
      headers: { "content-type": "text/plain" },
      body: JSON.stringify({ username: "edda", password }),
    };
    await send("POST", "/auth/login", undefined, body);
    await visit("sibling");
    await send("POST", "/auth/login", undefined, body);
    expect(await page.context().cookies(url)).toEqual([]);
  });

  it("the production cookie (SameSite=None; Secure) works on the allowed page and on no other", async () => {
    const other = await startAccounts({
      database,
      accounts: "static",
      config: {
        middlewares: { cors: { allowedOrigins: [origins.shopPage?.origin ?? ""], options: { credentials: true } } },
      },
      environment: { JWT_COOKIE_SAME_SITE: "none", JWT_COOKIE_SECURE: "true" },
    });
    const before = url;
    url = other.url.replace("127.0.0.1", "localhost");
    try {
      await visit("shopPage");
      expect(await status(send("POST", "/auth/login", { username: "edda", password }))).toBe(200);
      expect(await status(send("GET", "/users/me"))).toBe(200);
      expect(await status(send("POST", "/tags", { name: "of production" }))).toBe(201);
      await visit("sibling");
      const simple = { mode: "no-cors" as const, headers: { "content-type": "text/plain" }, body: '{"name":"simple"}' };
      const count = await database.client.tag.count();
      await send("POST", "/tags", undefined, simple);
      expect(await status(send("GET", "/users/me"))).toMatch(/Failed to fetch/);
      expect(await database.client.tag.count()).toBe(count);
    } finally {
      url = before;
      await other.close();
    }
  });
});
