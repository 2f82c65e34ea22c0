import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isBrowserMissing, startBrowser } from "../../../../packages/openapi/test/browser.js";
import { oneOf, someOf } from "../../../../scripts/test/slow-share.js";
import {
  type AccountDatabase,
  type AccountShop,
  createAccountDatabase,
  startAccounts,
} from "../accounts/account-shop.js";
import { checkAccessibility, openStudioPage } from "./studio-page.js";

const filtered = `where=${encodeURIComponent(
  JSON.stringify([
    ["status", "in", "PAID"],
    ["total", "gte", "100"],
  ]),
)}`;

/** The pages, each with a text that it shows once it is loaded. */
const places: readonly (readonly [place: string, there: string])[] = [
  ["/", ".tiles li"],
  ["/data/product", "tbody tr"],
  [`/data/order?${filtered}&sort=-total`, "tbody tr"],
  [`/data/order/summary?${filtered}&groupBy=${encodeURIComponent('["placedAt:month"]')}`, "tbody tr"],
  ["/data/product/row/1", "dl.values"],
  ["/data/product/new", ".row-form .hint code"],
  ["/data/tag/import", "input[type=file]"],
  ["/models", "svg rect"],
  ["/routes", "tbody tr"],
  ["/rights", "tbody tr"],
  ["/health", "pre"],
  ["/account", "tbody tr"],
];

describe.skipIf(isBrowserMissing())("C76 the pages of the studio", { timeout: 300_000 }, () => {
  let database: AccountDatabase;
  let browser: Browser;
  const shops: Record<string, AccountShop> = {};
  beforeAll(async () => {
    database = await createAccountDatabase();
    for (const accounts of ["static", "dynamic"] as const) {
      shops[accounts] = await startAccounts({
        database,
        accounts,
        config: { studio: true },
        environment: { JWT_COOKIE_SECURE: "false" },
      });
    }
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    for (const shop of Object.values(shops)) await shop.close();
    await database?.drop();
  });
  const urlOf = (accounts: string): string => (shops[accounts]?.url ?? "").replace("127.0.0.1", "localhost");

  const looks = [
    ["wide and light", { width: 1280, colorScheme: "light" }],
    ["as narrow as a phone and dark", { width: 390, colorScheme: "dark" }],
  ] as const;
  it.each(oneOf(looks))(
    "axe finds nothing wrong with them, %s; none is wider than the window",
    async (_name, options) => {
      const { page, issues, signIn, visit, close } = await openStudioPage(browser, urlOf("static"), options);
      await checkAccessibility(page, "sign in");
      await signIn("root");
      for (const [place, there] of someOf(places)) {
        await visit(place);
        await page.locator(there).first().waitFor();
        await checkAccessibility(page, place);
        expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), place).toBeLessThanOrEqual(
          0,
        );
      }
      await visit("/data/product/row/1");
      await page.getByRole("button", { name: "Edit", exact: true }).click();
      await page.locator(".row-form").waitFor();
      await checkAccessibility(page, "change");
      await page.getByRole("tab", { name: "Reviews" }).click();
      await page.getByRole("tabpanel").locator("table").waitFor();
      await checkAccessibility(page, "related rows");
      await page.getByRole("button", { name: "Delete" }).click();
      await page.getByRole("dialog").waitFor();
      await checkAccessibility(page, "question");
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Requests" }).click();
      await checkAccessibility(page, "requests");
      expect(issues).toEqual([]);
      await close();
    },
  );

  const visitors: readonly (readonly [string, string, readonly string[], readonly string[]])[] = [
    ["static", "ada", ["Orders", "Reviews", "Products"], ["Suppliers", "Users", "Coupons"]],
    ["static", "edda", ["Suppliers", "Coupons", "Stock movements"], ["Users", "Auth roles"]],
    ["static", "root", ["Users", "Auth roles", "Settings"], []],
    ["dynamic", "ada", ["Orders", "Addresses"], ["Suppliers", "Stock movements", "Users"]],
    ["dynamic", "edda", ["Suppliers", "Product suppliers"], ["Orders", "Users"]],
    ["dynamic", "root", ["Users", "Auth permissions"], []],
  ];
  it.each(someOf(visitors))(
    "%s accounts: %s sees only what is accessible",
    async (accounts, username, seen, unseen) => {
      const { page, issues, signIn, visit, close } = await openStudioPage(browser, urlOf(accounts));
      await signIn(username);
      const nav = page.getByRole("navigation", { name: "Studio" });
      for (const title of seen) await nav.getByRole("link", { name: title, exact: true }).waitFor();
      for (const title of unseen)
        expect(await nav.getByRole("link", { name: title, exact: true }).count(), title).toBe(0);
      await visit("/data/product");
      await page.locator("tbody tr").first().waitFor();
      const mayWrite = username !== "ada";
      for (const name of ["New product", "Import"])
        expect(await page.getByRole("link", { name, exact: true }).count(), name).toBe(mayWrite ? 1 : 0);
      await visit("/data/product/row/1");
      await page.getByRole("tab", { name: "Fields" }).waitFor();
      expect(await page.getByRole("button", { name: "Edit", exact: true }).count()).toBe(mayWrite ? 1 : 0);
      expect(await page.getByRole("button", { name: "Delete" }).count()).toBe(mayWrite ? 1 : 0);
      await visit("/data/user");
      if (username !== "root") await page.getByText("This model does not exist").waitFor();
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByRole("button", { name: "Sign in" }).waitFor();
      await page.reload();
      await page.getByRole("button", { name: "Sign in" }).waitFor();
      expect(issues).toEqual([]);
      await close();
    },
  );

  it("stored permissions can be granted and revoked in a matrix by users with access", async () => {
    const { page, issues, signIn, visit, close } = await openStudioPage(browser, urlOf("dynamic"));
    await signIn("root");
    await visit("/rights");
    await page.getByRole("combobox", { name: "Permissions of" }).selectOption("warehouse");
    const box = page.getByRole("checkbox", { name: "warehouse may Delete tag" });
    await box.waitFor();
    expect(await box.isChecked()).toBe(false);
    const where = { resource: "tag", action: "Delete", role: { name: "warehouse" } };
    await box.click();
    await expect.poll(() => database.client.authPermission.count({ where })).toBe(1);
    await expect.poll(() => box.isChecked()).toBe(true);
    await box.click();
    await expect.poll(() => database.client.authPermission.count({ where })).toBe(0);
    await signOutAndIn(page, signIn, "edda");
    await visit("/rights");
    await page.getByText("You may not read them").waitFor();
    expect(issues).toEqual([]);
    await close();
  });

  it("superusers see the configured permissions of every role, and no other user does", async () => {
    const { page, issues, signIn, visit, close } = await openStudioPage(browser, urlOf("static"));
    await signIn("root");
    await visit("/rights");
    const roles = page.getByRole("combobox", { name: "Permissions of" });
    const cells = async (role: string, title: string) => {
      await roles.selectOption({ label: role });
      const row = page.getByRole("region", { name: `Permissions of ${role}` }).getByRole("row", { name: title });
      return (await row.getByRole("cell").allTextContents()).slice(0, 5);
    };
    const all = Array(5).fill("✓yes");
    const none = Array(5).fill("no");
    const some = "✓yesrows";
    expect(await cells("CUSTOMER", "Orders ")).toEqual([some, some, "no", some, "no"]);
    expect(await cells("STAFF", "Orders ")).toEqual(Array(5).fill(some));
    expect(await cells("STAFF", "Tags ")).toEqual(all);
    expect(await cells("everyone", "Tags ")).toEqual(["✓yes", "✓yes", "no", "no", "no"]);
    expect(await cells("STAFF", "Settings ")).toEqual(none);
    await signOutAndIn(page, signIn, "edda");
    await visit("/rights");
    await page.getByText("Only superusers can see them").waitFor();
    expect(await roles.count()).toBe(0);
    expect(issues).toEqual([]);
    await close();
  });

  it("users can end their own sessions, and create and delete their own keys", async () => {
    const { page, issues, signIn, visit, close } = await openStudioPage(browser, urlOf("static"));
    await signIn("ben");
    await visit("/account");
    await page.getByLabel("Name of the new key").fill("<b>nightly</b>");
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByText("The key is shown only once").waitFor();
    expect(await page.getByText(/^svk_\w+/).count()).toBe(1);
    await page.getByRole("cell", { name: "<b>nightly</b>" }).waitFor();
    await page.getByRole("button", { name: "Delete" }).click();
    await expect.poll(() => page.getByRole("cell", { name: "<b>nightly</b>" }).count()).toBe(0);
    await page.getByText("current", { exact: true }).waitFor();
    expect(issues).toEqual([]);
    await close();
  });

  it("a token or an API key also signs in, and is stored only in memory", async () => {
    const shop = shops.static;
    if (shop === undefined) throw new Error("no shop");
    const { page, context, close } = await openStudioPage(browser, urlOf("static"));
    await page.getByRole("button", { name: "Use a token instead" }).click();
    await page.locator("input[name=token]").fill(await shop.tokenOf("edda"));
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Data" }).waitFor();
    expect(await context.cookies()).toEqual([]);
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).not.toMatch(/eyJ/);
    await page.reload();
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    await close();
  });
});

async function signOutAndIn(
  page: import("playwright-core").Page,
  signIn: (username: string) => Promise<void>,
  username: string,
) {
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("button", { name: "Sign in" }).waitFor();
  await signIn(username);
}
