import path from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { isBrowserMissing, startBrowser } from "../../../../packages/openapi/test/browser.js";
import { makeStarter } from "../../../../packages/service/test/start.js";
import { createPushedDatabase } from "../../../../scripts/test/template-database.js";
import { PrismaClient } from "../generated/trash/client/client.js";
import { models } from "../generated/trash/models.js";

describe.skipIf(isBrowserMissing())("C107 C108 the history of a row in the studio", { timeout: 90_000 }, () => {
  const { init, closeAll } = makeStarter();
  let database: Awaited<ReturnType<typeof createPushedDatabase>>;
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  let client: PrismaClient;
  let url: string;
  beforeAll(async () => {
    database = await createPushedDatabase(inject("postgresUrl"), path.join(import.meta.dirname, "../fixtures/trash"));
    browser = await startBrowser();
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
          Product: { changes: { history: true }, auth: { all: ["EDITOR"], read: ["EDITOR", "READER"] } },
          Part: { auth: { all: true } },
        },
      },
      { environment: { NODE_ENV: "test", DATABASE_URL: database.url } },
    );
    url = service.url.replace("127.0.0.1", "localhost");
    const send = (method: string, at: string, body: object) =>
      fetch(`${url}/api/${at}`, {
        method,
        headers: { cookie: "who=editor", "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    expect((await send("POST", "products", { name: "version 0" })).status).toBe(201);
    for (let n = 1; n <= 12; n++) {
      expect((await send("PATCH", "products/1", { name: `<b>version ${n}</b>` })).status).toBe(200);
    }
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
    await page.goto(`${url}/api/studio#/data/product/row/1`);
    await page.getByRole("tab", { name: "History" }).click();
    await page.getByRole("list", { name: "Changes" }).waitFor();
    return { page, issues, entries: page.getByRole("list", { name: "Changes" }).getByRole("listitem") };
  }

  it("C107 shows who changed which field from which value to which, in pages", async () => {
    const { page, issues, entries } = await open("reader");
    const first = entries.first();
    await first.getByText("<b>version 12</b>").waitFor();
    expect(await entries.count()).toBe(10);
    expect(await first.textContent()).toMatch(/^Changed.*editor/);
    expect(await first.locator("td.old").textContent()).toBe("<b>version 11</b>");
    expect(await page.getByRole("button", { name: "Restore this state" }).count()).toBe(0);
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByText("Created", { exact: true }).waitFor();
    expect(await entries.count()).toBe(3);
    expect(await page.getByRole("button", { name: "Next" }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Previous" }).click();
    await first.getByText("<b>version 12</b>").waitFor();
    expect(issues).toEqual([]);
  });

  it("C108 restores a state after a confirmation", async () => {
    const { page, issues, entries } = await open("editor");
    await entries.first().getByText("<b>version 12</b>").waitFor();
    // The latest state is the current one.
    expect(await entries.first().getByRole("button").count()).toBe(0);
    if (process.env.STUDIO_SCREENSHOT) await page.screenshot({ path: process.env.STUDIO_SCREENSHOT });
    const restore = entries.nth(2).getByRole("button", { name: "Restore this state" });
    await restore.click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    expect((await client.product.findFirstOrThrow()).name).toBe("<b>version 12</b>");
    await restore.click();
    await page.getByRole("dialog").getByRole("button", { name: "Restore" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await entries.first().locator("td.new").getByText("<b>version 10</b>").waitFor();
    await page.getByRole("heading", { level: 1, name: "<b>version 10</b>" }).waitFor();
    expect((await client.product.findFirstOrThrow()).name).toBe("<b>version 10</b>");
    expect(issues).toEqual([]);
  });

  it("C108 restores nothing if the row has changed since it was read, and shows the error", async () => {
    const { page, entries } = await open("editor");
    await client.product.updateMany({ data: { name: "elsewhere" } });
    await entries.nth(3).getByRole("button", { name: "Restore this state" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Restore" }).click();
    await page.getByRole("dialog").getByText("/if-match").waitFor();
    expect((await client.product.findFirstOrThrow()).name).toBe("elsewhere");
  });
});
