import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isBrowserMissing, startBrowser, watchPage } from "../../../packages/openapi/test/browser.js";
import { oneOf } from "../../../scripts/test/slow-share.js";
import { lowContrastTexts } from "./document/contrasts.js";
import { type Shop, startShop } from "./shop.js";

const desktop = { width: 1280, height: 900 };
const phone = { width: 390, height: 800 };
const widths = [
  ["desktop", desktop],
  ["phone", phone],
] as const;

describe.skipIf(isBrowserMissing())("C47 the shop's pages in a browser without access to other hosts", () => {
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

  /** Opens a page, and returns its errors. */
  async function open(path: string, viewport: typeof desktop): Promise<{ page: Page; issues: string[] }> {
    const page = await browser.newPage({ viewport });
    // A busy machine must not make a test fail.
    page.setDefaultTimeout(90_000);
    const issues = watchPage(page);
    await page.goto(shop.url + path);
    return { page, issues };
  }

  /** To look at: `SCREENSHOTS=/tmp/pages vitest run …`. */
  async function picture(page: Page, name: string): Promise<void> {
    const folder = process.env.SCREENSHOTS;
    if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png` });
  }

  it.each(oneOf(widths))(
    "Swagger UI tries a list with a filter, at %s width",
    { timeout: 180_000 },
    async (name, viewport) => {
      const { page, issues } = await open("/api/api-docs", viewport);
      // With authentication, the button "Authorize" accepts the token of a login.
      await page.locator("#operations-tag-Tag").click();
      await picture(page, `swagger-${name}`);
      await page.locator("#operations-Tag-findManyTag .opblock-summary-control").click();
      await page.getByLabel("Operator of name").selectOption("icontains");
      await page.getByLabel("name[icontains]").fill("ORGANIC");
      const responded = page.waitForResponse((response) => response.url().startsWith(`${shop.url}/api/tags?`));
      await page.getByRole("button", { name: "Execute" }).click();
      const reply = await responded;
      // Empty inputs are not sent.
      const sent = Object.fromEntries(new URL(reply.url()).searchParams);
      expect(sent).toEqual({ "name[icontains]": "ORGANIC" });
      expect(reply.status()).toBe(200);
      expect(await reply.json()).toMatchObject({ data: [{ name: "organic" }], meta: { total: 1 } });
      await page.locator(".live-responses-table").scrollIntoViewIfNeeded();
      await picture(page, `swagger-answer-${name}`);
      expect(issues).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(viewport.width);
      await page.close();
    },
  );

  it.each(oneOf(widths))(
    "Swagger UI shows the filters of products, at %s width",
    { timeout: 180_000 },
    async (name, viewport) => {
      const { page } = await open("/api/api-docs", viewport);
      await page.locator("#operations-tag-Product").click();
      const list = page.locator("#operations-Product-findManyProduct");
      await list.locator(".opblock-summary-control").click();
      await list.locator('tr[data-param-name="price"] .filter').waitFor();
      await list
        .locator(".parameters-container")
        .evaluate((element) => (element as { scrollIntoView(): void }).scrollIntoView());
      await picture(page, `swagger-products-${name}`);
      const [parameters, filters] = [list.locator("tr[data-param-name]"), list.locator("tr:has(.filter)")];
      expect(await parameters.count()).toBeLessThan(30);
      const first = await filters.first().boundingBox();
      const last = await filters.last().boundingBox();
      const height = (last?.y ?? 0) + (last?.height ?? 0) - (first?.y ?? 0);
      expect(await filters.count()).toBe(15);
      expect(height).toBeLessThan(viewport.width > 640 ? viewport.height * 0.7 : viewport.height * 1.5);
      /** The query of the next request. */
      const executed = async (): Promise<object> => {
        const requested = page.waitForRequest((request) => request.url().startsWith(`${shop.url}/api/products`));
        await list.getByRole("button", { name: "Execute" }).click();
        return Object.fromEntries(new URL((await requested).url()).searchParams);
      };
      // Untouched inputs are not sent.
      expect(await executed()).toEqual({});
      await list.getByLabel("Operator of price").selectOption("gte");
      await list.getByLabel("price[gte]").fill("10");
      await list.getByRole("button", { name: "Add a condition on price" }).click();
      await list.getByLabel("Operator of price").nth(1).selectOption("lt");
      await list.getByLabel("price[lt]").fill("20.5");
      await list.getByLabel("status[equals]").selectOption("ACTIVE");
      await list.getByLabel("Operator of weight").selectOption("isNull");
      await list.getByLabel("weight[isNull]").selectOption("false");
      await picture(page, `swagger-filled-${name}`);
      expect(await executed()).toEqual({
        ...{ "price[gte]": "10", "price[lt]": "20.5", "status[equals]": "ACTIVE", "weight[isNull]": "false" },
      });
      await list.getByLabel("price[lt]").fill("");
      expect(await executed()).not.toHaveProperty("price[lt]");
      await page.close();
    },
  );

  it("Scalar sends no untouched input, and a filter if it is filled in", {
    timeout: 180_000,
  }, async () => {
    const { page } = await open("/api/api-docs/reference#tag/product/GET/api/products", desktop);
    await page
      .getByRole("button", { name: /Test Request/ })
      .first()
      .click({ force: true });
    await page.getByText("id[equals]").first().waitFor();
    await picture(page, "scalar-try");
    const requested = page.waitForRequest((request) => request.url().startsWith(`${shop.url}/api/products`));
    await page.keyboard.press("Control+Enter");
    expect((await requested).url()).toBe(`${shop.url}/api/products`);
    await page.close();
  });

  it.each(oneOf(widths))(
    "all texts of Scalar are readable, at %s width",
    { timeout: 180_000 },
    async (name, viewport) => {
      const { page } = await open("/api/api-docs/reference", viewport);
      await page.getByRole("heading", { name: "Harbour & Pine" }).first().waitFor();
      const faint: object[] = [];
      for (const mode of ["light", "dark"]) {
        await page.goto(`${shop.url}/api/api-docs/reference#tag/product`);
        await page.getByText("List products").first().waitFor({ state: "attached" });
        await page.evaluate(
          `document.body.classList.remove("light-mode", "dark-mode"); document.body.classList.add("${mode}-mode")`,
        );
        // Color transitions take time.
        await page.evaluate(`Promise.all(document.getAnimations().map((each) => each.finished.catch(() => 0)))`);
        await picture(page, `scalar-${mode}-${name}`);
        faint.push(...(await lowContrastTexts(page, 4.5)).map((each) => ({ mode, ...each })));
      }
      expect(faint).toEqual([]);
      await page.close();
    },
  );

  it.each(oneOf(widths))("Scalar opens, at %s width", { timeout: 180_000 }, async (name, viewport) => {
    const { page, issues } = await open("/api/api-docs/reference", viewport);
    await page.getByRole("heading", { name: "Harbour & Pine" }).first().waitFor();
    await picture(page, `scalar-${name}`);
    await page.goto(`${shop.url}/api/api-docs/reference#tag/product`);
    await page.getByText("List products").first().waitFor({ state: "attached" });
    await picture(page, `scalar-product-${name}`);
    expect(issues).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(viewport.width);
    await page.close();
  });
});
