import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isBrowserMissing, startBrowser, watchPage } from "../../../packages/openapi/test/browser.js";
import { type Shop, startShop } from "./shop.js";

const desktop = { width: 1280, height: 900 };
const phone = { width: 390, height: 800 };

describe.skipIf(isBrowserMissing())("C47 the shop's pages in a browser that reaches no other host", () => {
  let shop: Shop;
  let browser: Browser;
  beforeAll(async () => {
    shop = await startShop();
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await shop?.close();
  });

  /** Opens a page, and tells what went wrong on it. */
  async function open(path: string, viewport: typeof desktop): Promise<{ page: Page; faults: string[] }> {
    const page = await browser.newPage({ viewport });
    // A busy machine must not make a test fail.
    page.setDefaultTimeout(90_000);
    const faults = watchPage(page);
    await page.goto(shop.url + path);
    return { page, faults };
  }

  /** For a person to look at: `SCREENSHOTS=/tmp/pages vitest run …`. */
  async function picture(page: Page, name: string): Promise<void> {
    const folder = process.env.SCREENSHOTS;
    if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png` });
  }

  it.each([
    ["desktop", desktop],
    ["phone", phone],
  ])("Swagger UI tries a list with a filter out, at %s width", { timeout: 180_000 }, async (name, viewport) => {
    const { page, faults } = await open("/api/api-docs", viewport);
    // A place for signing in, once the shop asks for it: the button "Authorize" takes the token of a login.
    await page.locator("#operations-tag-Tag").click();
    await picture(page, `swagger-${name}`);
    await page.locator("#operations-Tag-findManyTag .opblock-summary-control").click();
    await page.locator('tr[data-param-name="name__icontains"] input').fill("ORGANIC");
    const answered = page.waitForResponse((response) => response.url().startsWith(`${shop.url}/api/tags?`));
    await page.getByRole("button", { name: "Execute" }).click();
    const answer = await answered;
    // What a person did not fill in is not sent.
    const sent = Object.fromEntries(new URL(answer.url()).searchParams);
    expect(sent).toEqual({ name__icontains: "ORGANIC", limit: "20", count: "true" });
    expect(answer.status()).toBe(200);
    expect(await answer.json()).toMatchObject({ data: [{ name: "organic" }], meta: { total: 1 } });
    await page.locator(".live-responses-table").scrollIntoViewIfNeeded();
    await picture(page, `swagger-answer-${name}`);
    expect(faults).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(viewport.width);
    await page.close();
  });

  it.each([
    ["desktop", desktop],
    ["phone", phone],
  ])("Scalar opens, at %s width", { timeout: 180_000 }, async (name, viewport) => {
    const { page, faults } = await open("/api/api-docs/reference", viewport);
    await page.getByRole("heading", { name: "Harbour & Pine" }).first().waitFor();
    await picture(page, `scalar-${name}`);
    await page.goto(`${shop.url}/api/api-docs/reference#tag/product`);
    await page.getByText("Lists products.").first().waitFor({ state: "attached" });
    await picture(page, `scalar-product-${name}`);
    expect(faults).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(viewport.width);
    await page.close();
  });
});
