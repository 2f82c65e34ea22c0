import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isBrowserMissing, startBrowser } from "../../../packages/openapi/test/browser.js";
import { pixel } from "./pixel.js";
import { servePage } from "./react-page/serve-page.js";
import { type Shop, startShop } from "./shop.js";

describe.skipIf(isBrowserMissing())("C74 hooks and uploads in a page, against the shop", () => {
  let shop: Shop;
  let browser: Browser;
  let page: Page;
  const issues: string[] = [];
  const uploads = fs.mkdtempSync(path.join(os.tmpdir(), "react-page-"));

  beforeAll(async () => {
    const configureApp = await servePage("page");
    shop = await startShop({ configureApp, fileUpload: { baseUploadDir: uploads } });
    browser = await startBrowser();
    page = await browser.newPage();
    page.on("pageerror", (error) => issues.push(error.message));
    await page.goto(`${shop.url}/page`);
  });
  afterAll(async () => {
    await browser?.close();
    await shop?.close();
    fs.rmSync(uploads, { recursive: true, force: true });
  });

  const text = (id: string) => page.locator(`#${id}`).textContent();
  const names = () => page.locator("#tags li").allTextContents();
  /** Delays the requests of a method until the returned function is called. */
  const delay = async (method: string): Promise<() => Promise<void>> => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route("**/api/tags/**", async (route) => {
      if (route.request().method() === method) await released;
      await route.continue();
    });
    return async () => {
      release();
      await expect.poll(() => text("state")).toBe("settled");
      await page.unroute("**/api/tags/**");
    };
  };

  it("shows a new row in the lists of its model, and sends an idempotency key", async () => {
    const sent = page.waitForRequest((request) => request.method() === "POST");
    await page.fill("#name", "page-one");
    await page.click("#create");
    expect((await sent).headers()["idempotency-key"]).toMatch(/^[0-9a-f-]{36}$/);
    await expect.poll(names).toEqual(["page-one"]);
    await page.click("#create");
    await expect.poll(() => text("error")).toContain("name");
  });

  it("shows a change before its response, in the list and in the row, and sends the known version", async () => {
    await page.click("#tags li");
    await expect.poll(() => text("chosen")).toBe("page-one");
    const release = await delay("PATCH");
    const sent = page.waitForRequest((request) => request.method() === "PATCH");
    await page.fill("#name", "page-two");
    await page.click("#rename");
    await expect.poll(() => text("chosen")).toBe("page-two");
    expect([await names(), await text("state")]).toEqual([["page-two"], "pending"]);
    expect((await sent).headers()["if-match"]).toMatch(/^"/);
    expect(await shop.value("SELECT count(*) FROM tags WHERE name = 'page-two'")).toBe("0");
    await release();
    expect(await shop.value("SELECT count(*) FROM tags WHERE name = 'page-two'")).toBe("1");
    expect(await names()).toEqual(["page-two"]);
  });

  it("reverts a change if another client was faster, and shows the other client's values", async () => {
    await shop.database.tag.updateMany({ where: { name: "page-two" }, data: { name: "page-theirs" } });
    const release = await delay("PATCH");
    await page.fill("#name", "page-mine");
    await page.click("#rename");
    await expect.poll(() => text("chosen")).toBe("page-mine");
    await release();
    await expect.poll(() => text("chosen")).toBe("page-theirs");
    await expect.poll(names).toEqual(["page-theirs"]);
    expect(await text("error")).not.toBe("");
    expect(await shop.value("SELECT count(*) FROM tags WHERE name = 'page-mine'")).toBe("0");
    // After it was read again, its new version is known.
    await page.click("#rename");
    await expect.poll(names).toEqual(["page-mine"]);
    await expect.poll(() => shop.value("SELECT count(*) FROM tags WHERE name = 'page-mine'")).toBe("1");
  });

  it("deletes a row, and does not read it again", async () => {
    await expect.poll(() => text("state")).toBe("settled");
    await page.click("#delete");
    await expect.poll(names).toEqual([]);
    expect(await text("chosen")).toBe("");
  });

  it("extends a list page by page", async () => {
    await expect.poll(() => text("count")).toBe("5");
    await page.click("#more");
    await expect.poll(() => text("count")).toBe("10");
  });

  it("reports the progress of an upload", async () => {
    const buffer = Buffer.concat([pixel, Buffer.alloc(2_000_000)]);
    await page.setInputFiles("#file", { name: "a.png", mimeType: "image/png", buffer });
    await expect.poll(() => text("uploaded")).toMatch(/\/a.*\.png$/);
    expect(await text("progress")).toBe("100 %");
    await page.screenshot({ path: "/tmp/react-page.png" });
    expect(issues).toEqual([]);
  });
});
