import fs from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isBrowserMissing } from "../../../../packages/openapi/test/browser.js";
import { openStudioPage, startStudioShop } from "./studio-page.js";

/** Texts that a page must show as texts. */
const hostile = [
  "<script>window.stolen = 1</script>",
  `<img src=x onerror="window.stolen = 1">`,
  `"><svg onload=window.stolen=1>`,
  "javascript:window.stolen=1",
  "{{constructor.constructor('window.stolen=1')()}}",
];

describe.skipIf(isBrowserMissing())("C76 data in the studio", { timeout: 240_000 }, () => {
  let at: Awaited<ReturnType<typeof startStudioShop>>;
  beforeAll(async () => {
    at = await startStudioShop();
  });
  afterAll(async () => {
    expect(at?.studio.issues).toEqual([]);
    await at?.close();
  });

  it("a table can be sorted, filtered, searched and paged by cursor, and remembers its columns", async () => {
    const { database } = at;
    const { page, visit } = at.studio;
    await visit("/data/product");
    const cell = (column: number) => page.locator(`tbody tr:first-child td:nth-child(${column})`);
    const total = await database.client.product.count();
    await page.getByText(`${total} rows`, { exact: true }).waitFor();
    // The header stays while the rows scroll.
    const header = page.getByRole("columnheader", { name: "Price" });
    const place = await header.boundingBox();
    await page.getByRole("region", { name: "Rows of Products" }).evaluate((element) => element.scrollTo(0, 100));
    expect(await header.boundingBox()).toEqual(place);
    expect((await page.locator("tbody tr").first().boundingBox())?.y).toBeLessThan(place?.y ?? 0);
    const mostExpensive = await database.client.product.findFirstOrThrow({
      orderBy: [{ price: "desc" }, { id: "asc" }],
    });
    await page.getByRole("button", { name: "Price" }).click();
    await page.getByRole("button", { name: "Price" }).click();
    await expect
      .poll(() => page.locator("tbody tr:first-child").textContent())
      .toContain(mostExpensive.price.toFixed(2));
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByText(`21–40 of ${total}`).waitFor();
    await page.getByRole("button", { name: "Previous" }).click();
    await page.getByText(`1–20 of ${total}`).waitFor();
    await page.getByRole("button", { name: "+ Filter" }).click();
    await page.getByLabel("Field", { exact: true }).selectOption("status");
    await page.getByLabel("DRAFT").check();
    await page.keyboard.press("Escape");
    const drafts = await database.client.product.count({ where: { status: "DRAFT" } });
    await page.getByText(`${drafts} rows`, { exact: true }).waitFor();
    await page.locator("summary", { hasText: "Columns" }).click();
    await page.getByLabel("Stock").check();
    await page.getByLabel("Description").uncheck();
    await page.reload();
    await page.getByRole("columnheader", { name: "Stock" }).waitFor();
    expect(await page.getByRole("columnheader", { name: "Description" }).count()).toBe(0);
    await page.getByText(`${drafts} rows`, { exact: true }).waitFor();
    await cell(2).waitFor();
  });

  it("a row can be created in a form with errors at their fields, changed and deleted", async () => {
    const { database } = at;
    const { page, visit } = at.studio;
    await visit("/data/product/new");
    const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
    await press("Create");
    expect(await page.locator(".field.invalid").count()).toBe(4);
    await page.getByLabel("Sku").fill("HP-000037");
    await page.getByLabel("Name").fill(hostile[0] ?? "");
    await page.getByLabel("Price").fill("19.999");
    const category = page.getByRole("combobox", { name: "Category" });
    await category.fill("Tents");
    await page.getByRole("option", { name: "Tents" }).first().click();
    await page.getByLabel("Attributes").fill("{ no json");
    await press("Create");
    await page.getByText("must be JSON").waitFor();
    await page.getByText(/^Line 1, column 3: /).waitFor();
    await page.getByLabel("Attributes").fill('{"colour":"moss"}');
    await page.getByRole("button", { name: "Format Attributes" }).click();
    expect(await page.getByLabel("Attributes").inputValue()).toBe('{\n  "colour": "moss"\n}');
    await press("Create");
    await page.locator(".field.invalid", { hasText: "Price" }).waitFor();
    await page.getByLabel("Price").fill("12345678.90");
    await press("Create");
    // The name is taken.
    await page.locator(".field.invalid", { hasText: "Sku" }).waitFor();
    await page.getByLabel("Sku").fill("STUDIO-1");
    await page.getByLabel("STORE").check();
    await press("Create");
    await page.getByRole("tab", { name: "Fields" }).waitFor();
    const made = await database.client.product.findUniqueOrThrow({ where: { sku: "STUDIO-1" } });
    expect(made).toMatchObject({ name: hostile[0], attributes: { colour: "moss" }, channels: ["STORE"] });
    expect(made.price.toFixed(2)).toBe("12345678.90");
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await press("Cancel");
    // A field is edited in place.
    await press("Edit Description");
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe("TEXTAREA");
    await page.getByLabel("Description").fill("two\nlines");
    await page.getByLabel("Released on").fill("2026-03-01");
    await press("Save");
    await page.getByRole("button", { name: "Edit", exact: true }).waitFor();
    const changed = await database.client.product.findUniqueOrThrow({ where: { id: made.id } });
    expect(changed).toMatchObject({ description: "two\nlines", releasedOn: new Date("2026-03-01") });
    // A tag is connected, and disconnected.
    await page.getByRole("tab", { name: "Tags" }).click();
    const tag = await database.client.tag.findFirstOrThrow({ orderBy: { name: "asc" } });
    await page.getByRole("combobox", { name: "Add to tags" }).fill(tag.name);
    await page.getByRole("option", { name: tag.name }).first().click();
    await page.getByRole("button", { name: `Remove ${tag.name}` }).click();
    await page.getByText("No rows.").waitFor();
    await press("Delete");
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByRole("heading", { name: "Products" }).waitFor();
    expect(await database.client.product.count({ where: { sku: "STUDIO-1" } })).toBe(0);
  });

  it("concurrent changes of another user are shown, and overwritten only on request", async () => {
    const { database } = at;
    const { page, visit } = at.studio;
    const { id } = await database.client.tag.create({ data: { name: "as it was" } });
    await visit(`/data/tag/row/${id}`);
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.getByLabel("Name").fill("mine");
    await database.client.tag.update({ where: { id }, data: { name: "theirs" } });
    await page.getByRole("button", { name: "Save" }).click();
    const dialog = page.getByRole("dialog", { name: "Changed by another user" });
    for (const name of ["as it was", "theirs", "mine"]) await dialog.getByRole("cell", { name, exact: true }).waitFor();
    expect((await database.client.tag.findUniqueOrThrow({ where: { id } })).name).toBe("theirs");
    await dialog.getByRole("button", { name: "Use current values" }).click();
    expect(await page.getByLabel("Name").inputValue()).toBe("theirs");
    await page.getByLabel("Name").fill("mine");
    await database.client.tag.update({ where: { id }, data: { name: "theirs again" } });
    await page.getByRole("button", { name: "Save" }).click();
    await dialog.getByRole("button", { name: "Overwrite with mine" }).click();
    await page.getByRole("button", { name: "Edit", exact: true }).waitFor();
    expect((await database.client.tag.findUniqueOrThrow({ where: { id } })).name).toBe("mine");
  });

  it("many rows can be changed and deleted by a filter whose matches are counted first, and by selection", async () => {
    const { database } = at;
    const { page, visit } = at.studio;
    const country = "ZZ";
    await database.client.supplier.createMany({
      data: Array.from({ length: 7 }, (_each, at) => ({ name: `Studio ${at}`, country })),
    });
    await visit(`/data/supplier?where=${encodeURIComponent(JSON.stringify([["country", "equals", country]]))}`);
    await page.getByRole("button", { name: "Change…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Country is ZZ").waitFor();
    await dialog.getByText(/^Matches 7 rows/).waitFor();
    await dialog.getByLabel("Field to set").selectOption("email");
    await dialog.getByLabel("Email").fill("all@example.com");
    await dialog.getByRole("button", { name: "Change 7 rows" }).click();
    await dialog.getByText("7 rows were changed.").waitFor();
    await dialog.getByRole("button", { name: "Close" }).last().click();
    expect(await database.client.supplier.count({ where: { email: "all@example.com" } })).toBe(7);
    // The initial value of a select is the one that is written.
    await database.client.supplier.updateMany({ where: { country }, data: { isActive: false } });
    await page.getByRole("button", { name: "Change…" }).click();
    await dialog.getByLabel("Field to set").selectOption("isActive");
    await dialog.getByRole("button", { name: "Change 7 rows" }).click();
    await dialog.getByText("7 rows were changed.").waitFor();
    await dialog.getByRole("button", { name: "Close" }).last().click();
    expect(await database.client.supplier.count({ where: { country, isActive: true } })).toBe(7);
    await page.getByRole("checkbox", { name: "Select Studio 1" }).check();
    await page.getByRole("checkbox", { name: "Select Studio 2" }).check();
    await page.getByRole("button", { name: "Delete…" }).click();
    await dialog.getByRole("button", { name: "Delete 2 rows" }).click();
    await dialog.getByText("2 rows were deleted.").waitFor();
    await dialog.getByRole("button", { name: "Close" }).last().click();
    expect(await database.client.supplier.count({ where: { country } })).toBe(5);
    await page.getByRole("button", { name: "Delete…" }).click();
    await dialog.getByRole("button", { name: "Delete 5 rows" }).click();
    await dialog.getByText("5 rows were deleted.").waitFor();
    await dialog.getByRole("button", { name: "Close" }).last().click();
  });

  it("all filtered rows can be exported, without formulas; an import is first a dry run, and then written", async () => {
    const { database } = at;
    const { page, visit } = at.studio;
    await database.client.tag.createMany({ data: ["=1+1", "@SUM(A1)", '-2+3,"x"'].map((name) => ({ name })) });
    const count = await database.client.product.count();
    const save = async (form: string) => {
      const [file] = await Promise.all([
        page.waitForEvent("download"),
        (async () => {
          await page.locator("summary", { hasText: "Export" }).click();
          await page.getByRole("button", { name: form, exact: true }).click();
        })(),
      ]);
      return fs.readFile(await file.path(), "utf8");
    };
    await visit("/data/product");
    await page.locator("tbody tr").first().waitFor();
    expect(JSON.parse(await save("JSON"))).toHaveLength(count);
    await visit("/data/tag");
    await page.getByRole("heading", { name: "Tags" }).waitFor();
    await page.locator("tbody tr").first().waitFor();
    const csv = await save("CSV");
    expect(csv).toContain("'=1+1");
    expect(csv).not.toMatch(/(^|,|\n)"?[=@]/);

    await visit("/data/tag/import");
    const give = (text: string) =>
      page.setInputFiles("input[type=file]", { name: "tags.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
    await give(`name,colour\nstudio one,red\n${"x".repeat(41)},blue\n,green\n`);
    await page.getByText("3 rows, 2 with errors. Nothing was sent.").waitFor();
    expect(await page.getByRole("button", { name: /^Import/ }).isDisabled()).toBe(true);
    await give("name\nstudio one\nstudio two\n@SUM(A1)\n");
    await page.getByRole("button", { name: "Import 3 rows" }).click();
    // The service rejects all of them, and names the line.
    await page.getByRole("alert").waitFor();
    expect(await database.client.tag.count({ where: { name: { startsWith: "studio " } } })).toBe(0);
    await give("name\nstudio one\nstudio two\n");
    await page.getByRole("button", { name: "Import 2 rows" }).click();
    await page.getByText("2 rows were created.").waitFor();
    expect(await database.client.tag.count({ where: { name: { startsWith: "studio " } } })).toBe(2);
  });

  it("C104 the service writes the file of an export, and checks that of an import", async () => {
    const { database } = at;
    const { page, visit } = at.studio;
    await visit("/data/product?sort=-id");
    await page.locator("tbody tr").first().waitFor();
    const [saved] = await Promise.all([
      page.waitForEvent("download"),
      (async () => {
        await page.locator("summary", { hasText: "Export" }).click();
        await page.getByRole("button", { name: "CSV", exact: true }).click();
      })(),
    ]);
    const lines = (await fs.readFile(await saved.path(), "utf8")).split("\r\n");
    expect(lines).toHaveLength((await database.client.product.count()) + 2);
    expect(lines[0]).toMatch(/^\ufeff[\w,]+$/);

    await visit("/data/product/import");
    const give = (text: string) =>
      page.setInputFiles("input[type=file]", { name: "products.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
    const [known] = await database.client.product.findMany({ take: 1 });
    await give(`sku,name,price,categoryId\nST-1,Mug,12.50,1\n${known?.sku},Bowl,9,1\n`);
    // Only the service knows that this value is taken.
    await page.getByRole("alert").getByText("line 3, sku").waitFor();
    expect(await page.getByRole("button", { name: /^Import/ }).isDisabled()).toBe(true);
    await give("sku,name,price,categoryId\nST-1,Mug,12.50,1\nST-2,Bowl,9,1\n");
    await page.getByText("The service would create 2 rows. Nothing was written.").waitFor();
    expect(await database.client.product.count({ where: { sku: { startsWith: "ST-" } } })).toBe(0);
    await page.getByRole("button", { name: "Import 2 rows" }).click();
    await page.getByText("2 rows were created.").waitFor();
    expect(await database.client.product.count({ where: { sku: { startsWith: "ST-" } } })).toBe(2);
    await database.client.product.deleteMany({ where: { sku: { startsWith: "ST-" } } });
  });

  it("each request is shown as curl and as client code, without secrets", async () => {
    const { page, visit } = at.studio;
    await visit("/data/tag?search=red");
    await page.locator("main table").waitFor();
    await page.getByRole("button", { name: "Requests" }).click();
    const drawer = page.getByRole("dialog", { name: "Requests of this page" });
    await drawer
      .getByText(/curl -g 'http:\/\/localhost:\d+\/api\/tags\?/)
      .first()
      .waitFor();
    await drawer.getByLabel("client").check();
    await drawer
      .getByText(/await shop\.tags\.list\(\{ search: "red"/)
      .first()
      .waitFor();
    expect(await drawer.textContent()).not.toMatch(/harbour and pine|eyJ/);
    await page.keyboard.press("Escape");
  });

  it("a route can be tried with the permissions of the user", async () => {
    const { page, visit } = at.studio;
    await visit("/routes");
    await page.getByRole("searchbox", { name: "Filter the routes" }).fill("best-sellers");
    await page.getByRole("button", { name: "Try GET /api/reports/best-sellers" }).click();
    await page.getByLabel("Query").fill("limit=1");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("status").getByText("200").waitFor();
    await page.getByRole("dialog").getByText('"data"').waitFor();
    await page.keyboard.press("Escape");
  });

  it("stored values are always shown as text", async () => {
    const { database } = at;
    const { page, visit } = at.studio;
    const supplier = await database.client.supplier.create({
      data: {
        name: hostile[1] ?? "",
        country: "XX",
        email: hostile[3] ?? null,
        phones: hostile,
        logo: hostile[2] ?? null,
      },
    });
    await database.client.setting.create({
      data: { key: hostile[0] ?? "", value: hostile, description: hostile[4] ?? null },
    });
    for (const place of [
      `/data/supplier?search=${encodeURIComponent("onerror")}`,
      `/data/supplier/row/${supplier.id}`,
      "/data/setting",
      `/data/setting/row/${encodeURIComponent(encodeURIComponent(hostile[0] ?? ""))}`,
      "/data/supplier?search=%3Cimg%20src%3Dx%20onerror%3Dwindow.stolen%3D1%3E",
      "/data/%3Cimg%20src=x%20onerror=window.stolen=1%3E",
    ]) {
      await visit(place);
      await page.locator("main h1").waitFor();
      await page.waitForLoadState("networkidle");
    }
    await visit(`/data/supplier/row/${supplier.id}`);
    await page.getByRole("heading", { name: hostile[1] ?? "" }).waitFor();
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.locator(".row-form").waitFor();
    expect(await page.evaluate(() => "stolen" in window)).toBe(false);
    expect(await page.locator("main img[src=x], main svg[onload], main a[href^=javascript]").count()).toBe(0);
  });

  it("it cannot be framed, and its address cannot redirect to another site", async () => {
    const { browser, url } = at;
    const { page, context } = at.studio;
    const frame = await context.newPage();
    await frame.goto(`${url}/api/health/live`);
    await frame.setContent(`<iframe src="${url}/api/studio"></iframe>`);
    await frame.waitForTimeout(500);
    expect(await frame.frameLocator("iframe").locator("#studio").count()).toBe(0);
    await frame.close();
    const anonymous = await openStudioPage(browser, url);
    for (const place of ["//evil.example", "/\\evil.example", "?next=https://evil.example", "https://evil.example"]) {
      await anonymous.page.goto(`${url}/api/studio#${place}`);
      await anonymous.page.reload();
      await anonymous.page.locator("input[name=name]").waitFor();
    }
    await anonymous.signIn("ada");
    await anonymous.page.getByRole("button", { name: "Sign out" }).waitFor();
    expect(new URL(anonymous.page.url()).origin).toBe(url);
    expect(anonymous.issues).toEqual([]);
    await anonymous.close();
    expect(page.isClosed()).toBe(false);
  });
});
