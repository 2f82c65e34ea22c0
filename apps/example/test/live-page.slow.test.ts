import type { AddressInfo } from "node:net";
import path from "node:path";
import service, { type Service } from "@servicekit/service";
import { pino } from "pino";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isBrowserMissing, startBrowser } from "../../../packages/openapi/test/browser.js";
import {
  type AccountDatabase,
  accountConfig,
  createAccountDatabase,
  password,
  secret,
} from "./accounts/account-shop.js";
import { servePage } from "./react-page/serve-page.js";

describe.skipIf(isBrowserMissing())("C111 a live list of React in a browser", () => {
  let database: AccountDatabase;
  let browser: Browser;
  let page: Page;
  let shop: Service;
  let port = 0;
  let staff: Record<string, string>;
  let customers: { readonly ada: string; readonly ben: string };
  const issues: string[] = [];
  let configureApp: Awaited<ReturnType<typeof servePage>>;

  async function start(): Promise<void> {
    shop = await service.create(
      { logger: pino({ level: "silent" }), ...accountConfig({ accounts: "static", config: { configureApp } }) },
      {
        directory: path.join(import.meta.dirname, ".."),
        environment: { DATABASE_URL: database.url, JWT_SECRET: secret, NODE_ENV: "test" },
      },
    );
    await new Promise<void>((resolve) => shop.server.listen(port, "127.0.0.1", resolve));
    ({ port } = shop.server.address() as AddressInfo);
  }
  const url = (at: string) => `http://127.0.0.1:${port}${at}`;

  async function write(method: string, at: string, body?: object): Promise<{ readonly id: number }> {
    const init = { method, headers: { ...staff, "content-type": "application/json" } };
    const response = await fetch(url(at), { ...init, ...(body && { body: JSON.stringify(body) }) });
    expect(response.status).toBeLessThan(300);
    return response.status === 204 ? { id: 0 } : ((await response.json()) as { data: { id: number } }).data;
  }
  const shown = () => page.locator("#orders li").allTextContents();
  /** Runs a request of the page with its cookies. */
  const ask = (method: string, at: string, body?: object) =>
    page.evaluate(
      async ([method, at, body]) => {
        const headers = { "content-type": "application/json" };
        return (await fetch(at as string, { method: method as string, headers, body: body as string })).status;
      },
      [method, at, body && JSON.stringify(body)],
    );

  beforeAll(async () => {
    configureApp = await servePage("live-page");
    database = await createAccountDatabase();
    customers = { ada: (await database.own("ada")).customerId, ben: (await database.own("ben")).customerId };
    await database.client.order.updateMany({ data: { status: "DELIVERED" } });
    await start();
    const login = await fetch(url("/api/auth/login"), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ username: "will", password }),
    });
    const { accessToken } = (await login.json()) as { accessToken: string };
    staff = { authorization: `Bearer ${accessToken}` };
    browser = await startBrowser();
    page = await browser.newPage();
    page.on("pageerror", (error) => issues.push(error.message));
    await page.goto(url("/api"));
    expect(await ask("POST", "/api/auth/login", { username: "ada", password })).toBe(200);
    const live = page.waitForRequest((request) => request.url().includes("/orders/events"));
    await page.goto(url("/page"));
    await (await live).response();
  });
  afterAll(async () => {
    await browser?.close();
    await shop?.close();
    await database?.drop();
  });

  let order: { readonly id: number };
  it("C111 shows an order that another client creates, and its changes", async () => {
    expect(await shown()).toEqual([]);
    const { addressId } = await database.own("ada");
    const first = { reference: "LIVE-1", status: "PAID", total: "9.90", customerId: customers.ada };
    order = await write("POST", "/api/orders", { ...first, shippingAddressId: addressId });
    await expect.poll(shown).toEqual(["LIVE-1"]);
    await write("PATCH", `/api/orders/${order.id}`, { note: "by bike" });
    await expect.poll(shown).toEqual(["LIVE-1 by bike"]);
  });

  it("C111 follows rows into and out of the rows of the user and of the filter, and their removal", async () => {
    const at = `/api/orders/${order.id}`;
    await write("PATCH", at, { customerId: customers.ben });
    await expect.poll(shown).toEqual([]);
    await write("PATCH", at, { customerId: customers.ada });
    await expect.poll(shown).toEqual(["LIVE-1 by bike"]);
    await write("PATCH", at, { status: "SHIPPED" });
    await expect.poll(shown).toEqual([]);
    await write("PATCH", at, { status: "PAID" });
    await expect.poll(shown).toEqual(["LIVE-1 by bike"]);
    await write("DELETE", at);
    await expect.poll(shown).toEqual([]);
  });

  it("C111 connects again after a restart of the service, and shows what has changed meanwhile", async () => {
    const lost = page.waitForEvent("requestfinished", (request) => request.url().includes("/orders/events"));
    await shop.close();
    await lost;
    const again = page.waitForResponse((response) => response.url().includes("/orders/events"));
    await start();
    const { addressId } = await database.own("ada");
    const second = { reference: "LIVE-2", status: "PAID", total: "9.90", customerId: customers.ada };
    await write("POST", "/api/orders", { ...second, shippingAddressId: addressId });
    expect((await again).request().headers()["last-event-id"]).toMatch(/^[\w-]{80,}$/);
    await expect.poll(shown).toEqual(["LIVE-2"]);
    expect(issues).toEqual([]);
  });

  it("C111 stops after sign-out, without another request", async () => {
    expect(await ask("DELETE", "/api/auth/logout")).toBeLessThan(300);
    const requests: string[] = [];
    page.on("response", (response) => requests.push(`${response.status()} ${new URL(response.url()).pathname}`));
    await write("PATCH", "/api/orders/1", { status: "PAID" });
    await expect.poll(() => requests).toContain("401 /api/orders/events");
    // The rejection ends the subscription, and is reported as an error of the page.
    await expect.poll(() => issues).toEqual([expect.stringMatching(/token|sign/i)]);
    const before = [...requests];
    await write("PATCH", "/api/orders/1", { note: "unseen" });
    expect(await ask("GET", "/api")).toBe(200);
    expect(requests).toEqual([...before, "200 /api"]);
    expect(await shown()).toEqual(["LIVE-2"]);
  });
});
