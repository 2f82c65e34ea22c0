import path from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { isBrowserMissing, startBrowser } from "../../../../packages/openapi/test/browser.js";
import { PrismaClient } from "../../../../packages/service/test/generated/notes/client/client.js";
import { models } from "../../../../packages/service/test/generated/notes/models.js";
import { makeStarter } from "../../../../packages/service/test/start.js";
import { createPushedDatabase } from "../../../../scripts/test/template-database.js";

describe.skipIf(isBrowserMissing())("C125 totals in the studio", { timeout: 90_000 }, () => {
  const { init, closeAll } = makeStarter();
  let database: Awaited<ReturnType<typeof createPushedDatabase>>;
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  let client: PrismaClient;
  beforeAll(async () => {
    database = await createPushedDatabase(
      inject("postgresUrl"),
      path.join(import.meta.dirname, "../../../../packages/service/test/fixtures/notes"),
    );
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await closeAll();
    await database?.drop();
  });

  it("are marked if the database has estimated them, also during an export", async () => {
    const service = await init(
      {
        studio: true,
        database: {
          models,
          client: ({ adapter }) => {
            client = new PrismaClient({ adapter: adapter as never });
            return client;
          },
        },
        models: { Note: { count: "estimated" } },
      },
      { environment: { NODE_ENV: "test", DATABASE_URL: database.url } },
    );
    await client.note.createMany({ data: Array.from({ length: 3_000 }, (_, at) => ({ text: `note ${at}` })) });
    await client.$executeRawUnsafe('ANALYZE "Note"');
    const page = await browser.newPage();
    page.setDefaultTimeout(30_000);
    await page.goto(`${service.url}/api/studio#/data/note`);
    await page.getByText("about 3,000 rows", { exact: true }).waitFor();
    expect(await page.getByText(/ of about 3,000$/).count()).toBe(1);
    // The first page of the export continues after its progress was seen.
    let resume = (): void => undefined;
    const seen = new Promise<void>((resolve) => {
      resume = resolve;
    });
    await page.route(/cursor=(&|$)/, async (route) => {
      await seen;
      await route.continue();
    });
    await page.locator("summary", { hasText: "Export" }).click();
    await page.getByRole("button", { name: "JSON", exact: true }).click();
    await page.getByText("0 of about 3,000 rows").waitFor();
    resume();
    const filter = encodeURIComponent(JSON.stringify([["text", "equals", "note 7"]]));
    await page.goto(`${service.url}/api/studio#/data/note?where=${filter}`);
    await page.reload();
    await page.getByText("about 1 row", { exact: true }).waitFor();
  });
});
