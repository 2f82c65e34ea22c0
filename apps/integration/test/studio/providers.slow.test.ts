import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { isBrowserMissing, startBrowser } from "../../../../packages/openapi/test/browser.js";
import { makeStarter } from "../../../../packages/service/test/start.js";
import { createProviderDatabase, providers } from "../../../../scripts/test/provider-database.js";
import type { PrismaClient } from "../generated/trash/client/client.js";
import { trashClients, trashModels } from "../soft-delete/trash-clients.js";

type StudioBrowser = Awaited<ReturnType<typeof startBrowser>>;

describe.skipIf(isBrowserMissing())("C76 the studio on each database", { timeout: 240_000 }, () => {
  let browser: StudioBrowser;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser?.close());

  // The other tests of the studio run on PostgreSQL.
  describe.each(providers.filter((provider) => provider !== "postgresql"))("C76, C113, C119 on %s", (provider) => {
    const { init, closeAll } = makeStarter();
    let database: Awaited<ReturnType<typeof createProviderDatabase>>;
    let client: PrismaClient;
    let url: string;
    beforeAll(async () => {
      database = await createProviderDatabase(provider, inject("postgresUrl"), {
        project: "apps/integration",
        fixture: "trash",
      });
      const service = await init(
        {
          studio: true,
          host: "localhost",
          database: {
            models: trashModels[provider],
            client: ({ adapter }) => {
              client = new trashClients[provider]({ adapter: adapter as never });
              return client;
            },
          },
          models: { Order: { softDelete: { keep: ["items", "events"] } } },
        },
        { environment: { NODE_ENV: "test", DATABASE_URL: database.url } },
      );
      url = service.url.replace("127.0.0.1", "localhost");
    });
    afterAll(async () => {
      await closeAll();
      await database?.drop();
    });

    async function open() {
      const page = await (await browser.newContext()).newPage();
      page.setDefaultTimeout(30_000);
      const issues: string[] = [];
      page.on("pageerror", (error) => issues.push(error.message));
      page.on("response", (response) => {
        if (response.status() >= 500) issues.push(`${response.status()}: ${response.url()}`);
      });
      const visit = async (place: string): Promise<void> => {
        await page.goto(`${url}/api/studio#${place}`);
        await page.reload();
        await page.getByRole("heading", { level: 1 }).waitFor();
      };
      const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
      return { page, issues, visit, press };
    }

    it("lists, filters and sorts rows", async () => {
      const names = Array.from({ length: 25 }, (_, at) => `Customer ${String(at).padStart(2, "0")}`);
      await client.customer.createMany({
        data: names.map((name, at) => ({ name, email: `${at}@example.com` })),
      });
      const { page, issues, visit, press } = await open();
      await visit("/data/customer");
      await page.getByText("25 rows", { exact: true }).waitFor();
      await press("Name");
      await press("Name");
      await expect.poll(() => page.locator("tbody tr").first().textContent()).toContain("Customer 24");
      await press("Next");
      await page.getByText("21–25 of 25").waitFor();
      const filter = encodeURIComponent(JSON.stringify([["name", "icontains", "CUSTOMER 1"]]));
      await visit(`/data/customer?where=${filter}`);
      await page.getByText("10 rows", { exact: true }).waitFor();
      expect(issues).toEqual([]);
    });

    it("creates, edits and deletes a row, and shows a duplicate value at its field", async () => {
      await client.customer.create({ data: { name: "Ben", email: "ben@example.com" } });
      const { page, issues, visit, press } = await open();
      await visit("/data/customer/new");
      await page.getByLabel("Name").fill("Ada");
      await page.getByLabel("Email").fill("ben@example.com");
      await press("Create");
      await page.locator(".field.invalid", { hasText: "Email" }).waitFor();
      await page.getByLabel("Email").fill("ada@example.com");
      await press("Create");
      await page.getByRole("tab", { name: "Fields" }).waitFor();
      const where = { email: "ada@example.com" };
      const { id } = await client.customer.findUniqueOrThrow({ where });
      await press("Edit");
      await page.getByLabel("Name").fill("Ada Ü 🎵");
      await press("Save");
      await page.getByRole("button", { name: "Edit", exact: true }).waitFor();
      expect(await client.customer.findUniqueOrThrow({ where })).toMatchObject({ id, name: "Ada Ü 🎵" });
      await press("Delete");
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
      await page.getByRole("heading", { name: "Customers" }).waitFor();
      expect(await client.customer.count({ where })).toBe(0);
      expect(issues).toEqual([]);
    });

    it("C101 deletes a row softly, restores it, and deletes it permanently", async () => {
      const customer = { create: { name: "Cy", email: "cy@example.com" } };
      const { id } = await client.order.create({ data: { number: "A-1", customer } });
      const { page, issues, visit, press } = await open();
      const remove = async (name: string): Promise<void> => {
        await press(name);
        await page.getByRole("dialog").getByRole("button", { name, exact: true }).click();
        await page.getByLabel("Deleted", { exact: true }).waitFor();
      };
      await visit(`/data/order/row/${id}`);
      await remove("Delete");
      expect((await client.order.findUniqueOrThrow({ where: { id } })).deletedAt).toBeInstanceOf(Date);
      await page.getByText("0 rows", { exact: true }).waitFor();
      await page.getByLabel("Deleted", { exact: true }).check();
      await page.locator(`a[href$="/data/order/row/${id}"]`).first().click();
      await press("Restore");
      await page.getByRole("button", { name: "Edit", exact: true }).waitFor();
      expect((await client.order.findUniqueOrThrow({ where: { id } })).deletedAt).toBeNull();
      await visit(`/data/order/row/${id}`);
      await remove("Delete");
      await visit(`/data/order/row/${id}`);
      await remove("Delete permanently");
      expect(await client.order.count({ where: { id } })).toBe(0);
      expect(issues).toEqual([]);
    });
  });
});
