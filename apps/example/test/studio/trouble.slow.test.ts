import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isBrowserMissing } from "../../../../packages/openapi/test/browser.js";
import { password, startAccounts } from "../accounts/account-shop.js";
import { pixel } from "../pixel.js";
import { openStudioPage, startStudioShop } from "./studio-page.js";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "studio-uploads-"));

describe.skipIf(isBrowserMissing())("C76 failures and conflicts in the studio", { timeout: 120_000 }, () => {
  let at: Awaited<ReturnType<typeof startStudioShop>>;
  beforeAll(async () => {
    at = await startStudioShop({ fileUpload: { baseUploadDir: folder } });
  });
  afterAll(async () => {
    expect(at?.studio.issues).toEqual([]);
    await at?.close();
    fs.rmSync(folder, { recursive: true, force: true });
  });

  it("a file can be selected, previewed, sent with its row, and is shown in rows and forms from the origin of the service", async () => {
    const { database, url } = at;
    const { page, visit } = at.studio;
    await visit("/data/supplier/new");
    await page.getByLabel("Name").fill("Rope & Co");
    await page.getByLabel("Country").fill("SE");
    await page.getByLabel("Logo").setInputFiles({ name: "rope.png", mimeType: "image/png", buffer: pixel });
    await page.getByText(`rope.png, ${pixel.length} bytes`).waitFor();
    await page.getByRole("button", { name: "Create", exact: true }).click();
    const image = page.locator("dl.values img.thumbnail");
    await image.waitFor();
    const { id, logo } = await database.client.supplier.findFirstOrThrow({ where: { name: "Rope & Co" } });
    expect(logo).toMatch(/^\/api\/uploads\/images\/[0-9a-f]{32}\.png$/);
    expect(await image.getAttribute("src")).toBe(url + logo);
    await expect.poll(() => image.evaluate((shown) => (shown as HTMLImageElement).naturalWidth)).toBeGreaterThan(0);
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.locator(".row-form img.thumbnail").waitFor();
    await page
      .getByLabel("Logo")
      .setInputFiles({ name: "new.png", mimeType: "image/png", buffer: Buffer.from("no image") });
    await page.getByRole("button", { name: "Save" }).click();
    await page.locator(".field.invalid", { hasText: "Logo" }).waitFor();
    await page.getByLabel("Logo").setInputFiles({ name: "new.png", mimeType: "image/png", buffer: pixel });
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Edit", exact: true }).waitFor();
    const changed = await database.client.supplier.findUniqueOrThrow({ where: { id } });
    expect(changed.logo).not.toBe(logo);
    await visit("/data/supplier?search=Rope");
    await page.locator("summary", { hasText: "Columns" }).click();
    await page.getByLabel("Logo").check();
    await page.locator(`td img[src="${url}${changed.logo}"]`).waitFor();
    await page.getByRole("button", { name: "Requests" }).click();
    await page.getByText(/-F 'logo=@rope\.png'/).waitFor();
    await page.keyboard.press("Escape");
    // A text that only looks like a path is not a link.
    const evil = "https://evil.example/api/uploads/images/a.png";
    await database.client.supplier.update({ where: { id }, data: { logo: evil } });
    await visit(`/data/supplier/row/${id}`);
    await page.getByText(evil).waitFor();
    expect(await page.locator("main a[href*=evil], main img").count()).toBe(0);
  });

  it("a file for signed-in users is shown to a user with a token, which images do not send", async () => {
    const { database, browser } = at;
    const config = {
      studio: true,
      fileUpload: { baseUploadDir: folder },
      models: { "file-upload": { auth: { findFile: true } } },
    };
    const shop = await startAccounts({ database, accounts: "static", config });
    const url = shop.url.replace("127.0.0.1", "localhost");
    const { page, context, visit, issues } = await openStudioPage(browser, url);
    const token = await shop.tokenOf("edda");
    const form = new FormData();
    for (const [name, value] of Object.entries({ name: "For our eyes", country: "SE" })) form.append(name, value);
    form.append("logo", new Blob([new Uint8Array(pixel)]), "logo.png");
    const headers = { authorization: `Bearer ${token}` };
    const made = await fetch(`${shop.url}/api/suppliers`, { method: "POST", body: form, headers });
    const { data } = (await made.json()) as { readonly data: { readonly id: string; readonly logo: string } };
    expect((await fetch(shop.url + data.logo)).status).toBe(401);
    await page.getByRole("button", { name: "Use a token instead" }).click();
    await page.locator("input[name=token]").fill(token);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    await visit(`/data/supplier/row/${data.id}`);
    const image = page.locator("dl.values img.thumbnail");
    await image.waitFor();
    expect(await image.getAttribute("src")).toMatch(/^blob:/);
    await expect.poll(() => image.evaluate((shown) => (shown as HTMLImageElement).naturalWidth)).toBeGreaterThan(0);
    const [file] = await Promise.all([page.waitForEvent("download"), image.click()]);
    expect(fs.readFileSync(await file.path())).toEqual(pixel);
    expect(issues).toEqual([]);
    await context.close();
    await shop.close();
  });

  it("rows can be filtered by a group of which any, or none, matches", async () => {
    const { database } = at;
    const { page, visit } = at.studio;
    const [{ sku: one } = { sku: "" }, { sku: two } = { sku: "" }] = await database.client.product.findMany({
      take: 2,
    });
    await visit("/data/product");
    await page.getByRole("button", { name: "+ Group" }).click();
    await page.getByLabel("Field", { exact: true }).selectOption("sku");
    await page.getByLabel("Operator").selectOption("equals");
    await page.getByLabel("Value of Sku").fill(one);
    await page.getByRole("button", { name: "+ To the group" }).click();
    const second = page.locator(".condition").nth(1);
    await second.getByLabel("Field", { exact: true }).selectOption("sku");
    await second.getByLabel("Operator").selectOption("equals");
    await second.getByLabel("Value of Sku").fill(two);
    await page.getByText("2 rows", { exact: true }).waitFor();
    await page.getByLabel("In the group").selectOption("none");
    const count = await database.client.product.count();
    await page.getByText(`${count - 2} rows`, { exact: true }).waitFor();
    await page.reload();
    await page.getByText(`${count - 2} rows`, { exact: true }).waitFor();
    await page.getByRole("button", { name: "Delete…" }).click();
    await page.getByRole("dialog").getByText(`none of: Sku is ${one}; Sku is ${two}`).waitFor();
    await page.keyboard.press("Escape");
    // A filter in the address by a field that does not exist can be removed.
    await visit(`/data/product?where=${encodeURIComponent('[["nothing","equals","1"]]')}`);
    await page.getByRole("alert").waitFor();
    await page.getByRole("button", { name: "Remove the filter on nothing" }).click();
    await page.locator("tbody tr").first().waitFor();
  });

  it("a session that ends while a form is open does not lose its contents", async () => {
    const { database, browser, url } = at;
    const { page, visit, issues } = await openStudioPage(browser, url);
    await signIn(page, "edda");
    await visit("/data/product/row/1");
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.getByLabel("Description").fill("written before the session ended");
    await database.client.authSession.deleteMany({ where: { user: { username: "edda" } } });
    await page.getByRole("button", { name: "Save" }).click();
    const dialog = page.getByRole("dialog", { name: "Sign in again" });
    await dialog.waitFor();
    expect(await dialog.getByLabel("Sign in with").evaluate((input) => input === document.activeElement)).toBe(true);
    await signIn(dialog, "edda");
    await dialog.waitFor({ state: "detached" });
    expect(await page.getByLabel("Description").inputValue()).toBe("written before the session ended");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Edit", exact: true }).waitFor();
    const { description } = await database.client.product.findUniqueOrThrow({ where: { id: 1 } });
    expect(description).toBe("written before the session ended");
    // Another user does not see it.
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.getByLabel("Description").fill("of edda");
    await database.client.authSession.deleteMany({ where: { user: { username: "edda" } } });
    await page.getByRole("button", { name: "Save" }).click();
    await signIn(dialog, "ada");
    await dialog.waitFor({ state: "detached" });
    await page.locator("dl.values").waitFor();
    expect(await page.getByText("of edda").count()).toBe(0);
    expect(await page.getByRole("button", { name: "Edit", exact: true }).count()).toBe(0);
    expect(issues).toEqual([]);
    await page.context().close();
  });

  it("a lost response creates no second row, and no conflict with one's own change", async () => {
    const { database } = at;
    const { page, visit, context } = at.studio;
    await visit("/data/tag/new");
    await page.getByLabel("Name").fill("made once");
    // The request arrives, its response does not.
    const lose = (url: RegExp) =>
      context.route(url, async (route) => {
        if (route.request().method() === "GET") return route.continue();
        await route.fetch();
        await route.abort("connectionreset");
      });
    await lose(/\/api\/tags(\/|$)/);
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByText("The service does not respond.").waitFor();
    expect(await page.getByLabel("Name").inputValue()).toBe("made once");
    await context.unroute(/\/api\/tags(\/|$)/);
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByRole("tab", { name: "Fields" }).waitFor();
    expect(await database.client.tag.count({ where: { name: "made once" } })).toBe(1);
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.getByLabel("Name").fill("changed once");
    await lose(/\/api\/tags\/\d/);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("The service does not respond.").waitFor();
    await context.unroute(/\/api\/tags\/\d/);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "changed once" }).waitFor();
    const dialog = page.getByRole("dialog");
    expect(await dialog.count()).toBe(0);
    await lose(/\/api\/tags\/\d/);
    await page.getByRole("button", { name: "Delete" }).click();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await dialog.getByText("The service does not respond.").waitFor();
    await context.unroute(/\/api\/tags\/\d/);
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("heading", { name: "Tags" }).waitFor();
  });

  it("missing rows, models and pages are reported as such", async () => {
    const { page, visit } = at.studio;
    for (const [place, words] of [
      ["/data/product/row/999999999", "This row does not exist"],
      ["/data/product/row/x", "This row does not exist"],
      ["/data/product/row/%25E0%25A4%25A", "This row does not exist"],
      ["/data/nothing", "This model does not exist"],
      ["/data/nothing/row/1", "This model does not exist"],
      ["/nowhere", "This page does not exist"],
      ["/data/product?where=%5B%5B%22x", "Products"],
    ] as const) {
      await visit(place);
      await page.getByText(words).first().waitFor();
      await page.getByRole("navigation", { name: "Studio" }).waitFor();
    }
  });

  it("the back button restores the search, including its page", async () => {
    const { page, visit } = at.studio;
    await visit("/data/product");
    await page.getByLabel("Search in Products").fill("tent");
    await page.keyboard.press("Enter");
    const row = page.locator("tbody tr:first-child", { hasText: /tent/i });
    await row.waitFor();
    const name = await row.textContent();
    await page.locator("tbody tr:first-child a").first().click();
    await page.getByRole("tab", { name: "Fields" }).waitFor();
    await page.goBack();
    await row.waitFor();
    expect(await page.getByLabel("Search in Products").inputValue()).toBe("tent");
    expect(await row.textContent()).toBe(name);
  });

  it("leaving a form with changes requires a confirmation", async () => {
    const { page, visit } = at.studio;
    await visit("/data/tag/new");
    await page.getByLabel("Name").fill("half written");
    const requested: string[] = [];
    page.once("dialog", (dialog) => {
      requested.push(dialog.message());
      void dialog.dismiss();
    });
    await page.getByRole("link", { name: "Orders", exact: true }).click();
    await expect.poll(() => requested.length).toBe(1);
    expect(await page.getByLabel("Name").inputValue()).toBe("half written");
    page.once("dialog", (dialog) => void dialog.accept());
    await page.getByRole("link", { name: "Orders", exact: true }).click();
    await page.getByRole("heading", { name: "Orders" }).waitFor();
  });

  it("a file that is not a CSV of this model is rejected before anything is sent", async () => {
    const { database } = at;
    const { page, visit } = at.studio;
    const before = await database.client.tag.count();
    await visit("/data/tag/import");
    const give = (buffer: Buffer, name = "tags.csv") =>
      page.setInputFiles("input[type=file]", { name, mimeType: "text/csv", buffer });
    await give(Buffer.from([0x6e, 0x61, 0x6d, 0x65, 0x0a, 0xe4, 0xf6, 0x0a]));
    await page.getByText("This file is not UTF-8 text").waitFor();
    await give(Buffer.from('name\n"open\nnext\n'));
    await page.getByText("1 row, 1 with errors. Nothing was sent.").waitFor();
    await give(Buffer.from("name,name\na,b\n"));
    await page.getByText("Duplicate columns: name.").waitFor();
    await give(pixel, "picture.png");
    await page.getByRole("alert").waitFor();
    await give(Buffer.from(""));
    await page.getByText("0 rows, 0 with errors. Nothing was sent.").waitFor();
    await give(Buffer.from("name\ntwice in the file\ntwice in the file\n"));
    await page.getByText("name is the same as in line 2").waitFor();
    expect(await page.getByRole("button", { name: /^Import/ }).isDisabled()).toBe(true);
    expect(await database.client.tag.count()).toBe(before);
  });
});

async function signIn(page: Pick<import("playwright-core").Page, "locator" | "getByRole">, username: string) {
  await page.locator("input[name=name]").fill(username);
  await page.locator("input[name=password]").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.locator("input[name=password]").waitFor({ state: "detached" });
}
