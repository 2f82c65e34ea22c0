import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isBrowserMissing } from "../../../../packages/openapi/test/browser.js";
import { checkAccessibility, openStudioPage, startStudioShop } from "./studio-page.js";

describe.skipIf(isBrowserMissing())("C76, C98 summaries in the studio", { timeout: 240_000 }, () => {
  let at: Awaited<ReturnType<typeof startStudioShop>>;
  beforeAll(async () => {
    at = await startStudioShop();
  });
  afterAll(async () => {
    expect(at?.studio.issues).toEqual([]);
    await at?.close();
  });

  const table = () => at.studio.page.getByRole("region", { name: "Groups of Orders" });
  /** The cells of each group as texts. */
  const groups = async (): Promise<readonly (readonly string[])[]> =>
    Promise.all((await table().locator("tbody tr").all()).map((row) => row.locator("td").allTextContents()));

  it("group the filtered rows of a table, measure them and sort the groups", async () => {
    const { page, visit } = at.studio;
    const where = encodeURIComponent(JSON.stringify([["total", "gte", "100"]]));
    await visit(`/data/order?where=${where}&sort=-total&search=HP-`);
    await page.getByRole("link", { name: "Summarise" }).click();
    await page.getByRole("heading", { name: "Summary of orders" }).waitFor();
    const filtered = { total: { gte: 100 } };
    const count = await at.database.client.order.count({ where: filtered });
    await expect.poll(groups).toEqual([[String(count)]]);
    expect(await page.getByRole("searchbox", { name: "Search in Orders" }).inputValue()).toBe("HP-");

    await page.getByLabel("Group by", { exact: true }).last().selectOption("status");
    await page.getByRole("button", { name: "+ Measure" }).click();
    await page.getByRole("button", { name: "Sum of total" }).click();
    const expected = await at.database.client.order.groupBy({
      by: ["status"],
      where: filtered,
      _count: { _all: true },
      _sum: { total: true },
      orderBy: { _sum: { total: "desc" } },
    });
    await expect
      .poll(groups)
      .toEqual(expected.map(({ status, _count, _sum }) => [status, String(_count._all), _sum.total?.toFixed(2)]));
    const header = page.getByRole("columnheader", { name: "Sum of total" });
    expect(await header.getAttribute("aria-sort")).toBe("descending");
    // The bar of the largest sum fills its cell, and the others are shorter.
    const lengths = await table()
      .locator("tbody tr td:last-child .bar > span")
      .evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().width));
    expect(lengths[0]).toBeGreaterThan(50);
    expect(lengths).toEqual(lengths.toSorted((a, b) => b - a));
    await checkAccessibility(page, "summary");

    // The filters of the summary lead back to the same rows.
    await page.getByRole("link", { name: "Rows", exact: true }).click();
    await page.getByText(`${count.toLocaleString("en")} rows`, { exact: true }).waitFor();
  });

  it("group by periods in a time zone and by fields of related rows, as their URL contains", async () => {
    const { page, visit } = at.studio;
    await visit("/data/order/summary");
    await page.getByLabel("Group by", { exact: true }).last().selectOption("placedAt");
    await page.getByLabel("Period of Placed at").selectOption("quarter");
    await page.getByLabel("Then by").selectOption("customer.newsletter");
    await page.getByLabel("Time zone").fill("Europe/Zurich");
    await page.getByLabel("Time zone").press("Enter");
    await page.getByLabel("Measure", { exact: true }).last().selectOption("avg");
    await page.getByLabel("Average of field").selectOption("total");
    const expected = await at.database.client.$queryRawUnsafe<Record<string, unknown>[]>(
      `SELECT to_char(placed_at AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Zurich', 'YYYY "Q"Q') AS quarter, newsletter
      FROM orders JOIN customers ON customers.id = customer_id GROUP BY 1, 2 ORDER BY 1, 2`,
    );
    const texts = expected.map(({ quarter, newsletter }) => [quarter, newsletter === true ? "yes" : "no"]);
    const shown = async () => (await groups()).map((cells) => cells.slice(0, 2));
    await expect.poll(shown).toEqual(texts);
    await page.getByRole("columnheader", { name: "Average of total" }).waitFor();
    const url = page.url();
    await page.reload();
    await expect.poll(shown).toEqual(texts);
    expect(page.url()).toBe(url);
    expect(await page.getByLabel("Time zone").inputValue()).toBe("Europe/Zurich");
    expect(await page.getByLabel("Average of field").inputValue()).toBe("total");
  });

  it("show the errors of the service beside the inputs that they name", async () => {
    const { page, visit } = at.studio;
    const groupBy = encodeURIComponent(JSON.stringify(["placedAt:month", "statsu"]));
    await visit(`/data/order/summary?groupBy=${groupBy}&timeZone=Europe/Zurch&measures=%5B%22sum.reference%22%5D`);
    const group = page.getByRole("group", { name: "Group by" });
    await group.getByRole("alert").getByText("Did you mean Europe/Zurich?").waitFor();
    await group.getByRole("alert").getByText("Did you mean status?").waitFor();
    await page.getByRole("group", { name: "Measure" }).getByText("sum cannot use reference").waitFor();
    expect(await table().count()).toBe(0);
    await page.getByLabel("Time zone").fill("Europe/Zurich");
    await page.getByLabel("Time zone").press("Tab");
    await page.getByLabel("Then by").selectOption("status");
    await page.getByLabel("Measure", { exact: true }).selectOption("count");
    await expect.poll(() => page.getByRole("alert").allTextContents()).toEqual([]);
    await table().locator("tbody tr").first().waitFor();
  });

  it("page the groups", async () => {
    const { page, visit } = at.studio;
    const customers = await at.database.client.order.groupBy({ by: ["customerId"] });
    expect(customers.length).toBeGreaterThan(50);
    await visit(`/data/order/summary?groupBy=${encodeURIComponent('["customerId"]')}`);
    await expect.poll(async () => (await groups()).length).toBe(50);
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByText("Page 2").waitFor();
    await expect.poll(async () => (await groups()).length).toBe(Math.min(50, customers.length - 50));
    await page.reload();
    await page.getByText("Page 2").waitFor();
    await page.getByRole("button", { name: "Previous" }).click();
    await expect.poll(async () => (await groups()).length).toBe(50);
    await page.getByText("Page 2").waitFor({ state: "detached" });
  });

  it("count only the rows of their user", async () => {
    const { customerId } = await at.database.own("ada");
    const count = await at.database.client.order.count({ where: { customerId } });
    const ada = await openStudioPage(at.browser, at.url);
    await ada.signIn("ada");
    await ada.visit("/data/order/summary");
    await ada.page.getByRole("cell", { name: String(count), exact: true }).waitFor();
    expect(await ada.page.getByLabel("Group by", { exact: true }).last().textContent()).not.toContain("Client ip");
    expect(ada.issues).toEqual([]);
    await ada.close();
  });

  it("do not exist for models without aggregates", async () => {
    const { page, visit } = at.studio;
    await visit("/data/product");
    await page.getByRole("link", { name: "Import" }).waitFor();
    expect(await page.getByRole("link", { name: "Summarise" }).count()).toBe(0);
    await visit("/data/product/summary");
    await page.getByRole("heading", { name: "Not found" }).waitFor();
  });
});
