import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isBrowserMissing, startBrowser, watchPage } from "../../../../packages/openapi/test/browser.js";
import { type AccountDatabase, type AccountShop, createAccountDatabase, startAccounts } from "./account-shop.js";

describe.skipIf(isBrowserMissing())("C47 the documentation of a shop with accounts", () => {
  let database: AccountDatabase;
  let shop: AccountShop;
  let browser: Browser;
  beforeAll(async () => {
    database = await createAccountDatabase();
    shop = await startAccounts({ database, accounts: "static" });
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await shop?.close();
    await database?.drop();
  });

  it("tries a list with a filter, signed out and signed in", { timeout: 180_000 }, async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.setDefaultTimeout(90_000);
    const issues = watchPage(page);
    await page.goto(`${shop.url}/api/api-docs`);
    await page.locator("#operations-tag-Order").click();
    const operation = page.locator("#operations-Order-findManyOrder");
    await operation.locator(".opblock-summary-control").click();
    const execute = async () => {
      const responded = page.waitForResponse((response) => response.url().startsWith(`${shop.url}/api/orders?`));
      await operation.getByRole("button", { name: "Execute" }).click();
      return responded;
    };
    await operation.locator('tr[data-param-name="limit"] input').fill("3");
    const rejected = await execute();
    expect([rejected.status(), (await rejected.json()).code]).toEqual([401, "Unauthorized"]);
    // The rejection is expected: the page shows it as a failed response.
    expect(issues.splice(0).join("\n")).toMatch(/^401: .*\nconsole: .*401 \(Unauthorized\)$/);

    await page.locator(".auth-wrapper .authorize").first().click();
    const dialog = page.locator(".dialog-ux");
    await dialog.locator('input[id="auth-bearer-value"]').fill(await shop.tokenOf("root"));
    await dialog.getByRole("button", { name: "Apply credentials" }).first().click();
    await dialog.getByRole("button", { name: "Close" }).first().click();
    const allowed = await execute();
    expect(allowed.status()).toBe(200);
    expect((await allowed.json()).meta).toMatchObject({ count: 3, limit: 3 });
    expect(issues).toEqual([]);
    await page.close();
  });
});
