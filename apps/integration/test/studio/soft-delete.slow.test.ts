import path from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { isBrowserMissing, startBrowser } from "../../../../packages/openapi/test/browser.js";
import { makeStarter } from "../../../../packages/service/test/start.js";
import { createPushedDatabase } from "../../../../scripts/test/template-database.js";
import { PrismaClient } from "../generated/trash/client/client.js";
import { models } from "../generated/trash/models.js";

describe.skipIf(isBrowserMissing())("C101 deleted rows in the studio", { timeout: 90_000 }, () => {
  const { init, closeAll } = makeStarter();
  let database: Awaited<ReturnType<typeof createPushedDatabase>>;
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  let client: PrismaClient;
  let url: string;
  beforeAll(async () => {
    database = await createPushedDatabase(inject("postgresUrl"), path.join(import.meta.dirname, "../fixtures/trash"));
    browser = await startBrowser();
    const keepers = ["KEEPER"];
    const service = await init(
      {
        studio: true,
        host: "localhost",
        authentication: {
          mode: "static",
          accounts: false,
          identify: ({ headers }) => {
            const [, id] = /\bwho=(\w+)/.exec(headers.cookie ?? "") ?? [];
            return id === undefined ? undefined : { id, roles: [id.toUpperCase()] };
          },
        },
        database: {
          models,
          client: ({ adapter }) => {
            client = new PrismaClient({ adapter: adapter as never });
            return client;
          },
        },
        models: {
          Product: {
            softDelete: true,
            auth: { all: true, findDeleted: keepers, restoreOne: keepers, deletePermanently: keepers },
          },
        },
      },
      { environment: { NODE_ENV: "test", DATABASE_URL: database.url } },
    );
    url = service.url.replace("127.0.0.1", "localhost");
    await client.product.createMany({ data: [{ name: "kept" }, { name: "gone" }, { name: "also gone" }] });
  });
  afterAll(async () => {
    await browser?.close();
    await closeAll();
    await database?.drop();
  });

  async function open(who: string) {
    const context = await browser.newContext();
    context.setDefaultTimeout(15_000);
    await context.addCookies([{ name: "who", value: who, url }]);
    const page = await context.newPage();
    const issues: string[] = [];
    page.on("pageerror", (error) => issues.push(error.message));
    const visit = async (place: string): Promise<void> => {
      await page.goto(`${url}/api/studio#${place}`);
      await page.reload();
      await page.getByRole("heading", { level: 1 }).waitFor();
    };
    return { page, issues, visit };
  }

  it("are listed, restored and permanently deleted by users with these rights", async () => {
    const { page, issues, visit } = await open("keeper");
    for (const id of [2, 3]) {
      await visit(`/data/product/row/${id}`);
      await page.getByRole("button", { name: "Delete", exact: true }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
      await page.getByText("Products", { exact: true }).first().waitFor();
      await page.getByLabel("Deleted", { exact: true }).waitFor();
    }
    await page.getByText("1 row", { exact: true }).waitFor();
    await page.getByLabel("Deleted", { exact: true }).check();
    await page.getByText("2 rows", { exact: true }).waitFor();
    await page.locator('a[href$="/data/product/row/2"]').first().click();
    await page.getByRole("status").filter({ hasText: "Deleted" }).waitFor();
    expect(await page.getByRole("button", { name: "Edit" }).count()).toBe(0);
    await page.getByRole("button", { name: "Restore" }).click();
    await page.getByRole("button", { name: "Edit", exact: true }).waitFor();
    expect((await client.product.findUniqueOrThrow({ where: { id: 2 } })).deletedAt).toBeNull();
    await visit("/data/product/row/3");
    await page.getByRole("button", { name: "Delete permanently" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete permanently" }).click();
    await page.getByText("0 rows", { exact: true }).waitFor();
    expect(await client.product.count()).toBe(2);
    await visit("/rights");
    await page.getByRole("columnheader", { name: "Restore" }).waitFor();
    expect(issues).toEqual([]);
  });

  it("do not exist for others", async () => {
    await client.product.updateMany({ data: { deletedAt: null } });
    await client.product.update({ where: { id: 2 }, data: { deletedAt: new Date() } });
    const rows = await client.product.count({ where: { deletedAt: null } });
    const { page, issues, visit } = await open("member");
    await visit("/data/product");
    await page.getByText(rows === 1 ? "1 row" : `${rows} rows`, { exact: true }).waitFor();
    expect(await page.getByLabel("Deleted", { exact: true }).count()).toBe(0);
    await visit("/data/product?deleted=only");
    await page.getByText(rows === 1 ? "1 row" : `${rows} rows`, { exact: true }).waitFor();
    await visit("/data/product/row/2");
    await page.getByRole("heading", { name: "Not found" }).or(page.getByText("does not exist")).first().waitFor();
    expect(await page.getByRole("button", { name: "Restore" }).count()).toBe(0);
    expect(issues).toEqual([]);
  });
});
