import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { isBrowserMissing, startBrowser, watchPage } from "../../../../packages/openapi/test/browser.js";
import { type ServedSchema, serveSchema } from "../../../../packages/service/test/served-schema.js";
import { generateFixtures } from "../../../../scripts/test/generate-fixtures.js";
import { makeSchema } from "../schemas/make-schema.js";

const count = 81;

describe.skipIf(isBrowserMissing())("C76 the studio with a large schema", () => {
  let served: ServedSchema;
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  beforeAll(async () => {
    const text = makeSchema(20, count);
    const output = path.join(import.meta.dirname, "../generated/studio-large");
    const schema = path.join(output, "schema.prisma");
    fs.mkdirSync(output, { recursive: true });
    fs.writeFileSync(schema, text);
    await generateFixtures([{ label: "studio-large", schema, files: [["schema.prisma", text]], output }]);
    served = await serveSchema(inject("postgresUrl"), { generated: output, schema: text, config: { studio: true } });
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await served?.close();
  });

  it("shows 81 models immediately, in a table and in a diagram", async () => {
    const page = await browser.newPage();
    const issues = watchPage(page);
    const time = async (what: string, see: () => Promise<unknown>) => {
      const begin = performance.now();
      await see();
      console.log(`studio of ${count} models: ${what} after ${Math.round(performance.now() - begin)} ms`);
    };
    const tiles = page.locator(".tiles li");
    await time("first view", async () => {
      await page.goto(`${served.service.url}/api/studio`);
      await tiles.first().waitFor();
    });
    expect(await tiles.count()).toBe(count);
    await time("first view again, from the cache", async () => {
      await page.reload();
      await tiles.first().waitFor();
    });
    await time("a table", async () => {
      await tiles.first().getByRole("link").click();
      await page.locator("main table").waitFor();
    });
    await time("the form of a new row", async () => {
      await page.getByRole("link", { name: /^New / }).click();
      await page.locator(".row-form").waitFor();
    });
    await time("the picture", async () => {
      await page.getByRole("link", { name: "Models", exact: true }).click();
      await page.locator("svg rect").first().waitFor();
    });
    expect(await page.locator("svg rect").count()).toBe(count);
    // Navigation aborts the requests of the previous page.
    expect(issues.filter((issue) => !issue.endsWith("net::ERR_ABORTED"))).toEqual([]);
  });
});
