import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { isBrowserMissing, startBrowser } from "../../../../packages/openapi/test/browser.js";
import { type Call, every, makeWebhookServices, password } from "../../../../packages/service/test/serve-webhooks.js";
import type { Receiver } from "../../../../packages/webhooks/test/receiver.js";

describe.skipIf(isBrowserMissing())("C112 C114 C115 the studio of an operator", { timeout: 90_000 }, () => {
  const { start, createDatabase, dropDatabase, receiverOf, clear } = makeWebhookServices();
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  let receiver: Receiver;
  let status = 410;
  let operator: Call;
  let url = "";
  let id = "";
  beforeAll(async () => {
    await createDatabase();
    browser = await startBrowser();
    receiver = await receiverOf((response) => response.writeHead(status).end("<b>gone</b>"));
    const started = await start({ studio: true, host: "localhost" });
    url = started.service.url.replace("127.0.0.1", "localhost");
    operator = await started.asSuperUser();
    await started.as("ADMIN");
    id = (await operator("POST", "webhooks", { url: receiver.url, events: every })).body.data.id;
    await operator("POST", "orders", { title: "one" });
    const failed = async () => (await operator("GET", "job-queues/webhooks/failed")).body.data.length === 1;
    await vi.waitUntil(failed, { timeout: 60_000 });
  });
  afterAll(async () => {
    await browser?.close();
    await clear();
    await dropDatabase();
  });

  async function open(place: string, name = "operator") {
    const page = await (await browser.newContext()).newPage();
    page.setDefaultTimeout(15_000);
    const issues: string[] = [];
    page.on("pageerror", (error) => issues.push(error.message));
    await page.goto(`${url}/api/studio#${place}`);
    await page.locator("input[name=name]").fill(name);
    await page.locator("input[name=password]").fill(password);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    return { page, issues };
  }
  const shoot = async (page: Awaited<ReturnType<typeof open>>["page"], name: string): Promise<void> => {
    if (process.env.STUDIO_SCREENSHOT) await page.screenshot({ path: `${process.env.STUDIO_SCREENSHOT}-${name}.png` });
  };

  it("C114 lists queues and failed jobs, runs them again, and deletes them after a confirmation", async () => {
    const { page, issues } = await open("/");
    await page.getByRole("link", { name: "Jobs" }).click();
    const queue = page.getByRole("table", { name: "Queues" }).getByRole("row", { name: "webhooks" });
    await expect.poll(() => queue.getByRole("cell").allTextContents()).toEqual(["0", "0", "0", "1"]);
    const jobs = page.getByRole("table", { name: "Failed jobs" });
    const error = `id:${id}: The response has the status 410.`;
    await jobs.getByText(error).click();
    await jobs.getByText(/"endpoint": "id:/).waitFor();
    await shoot(page, "jobs");
    // The webhook is not active, so the message is skipped, and the job ends.
    await jobs.getByRole("button", { name: "Retry" }).click();
    await page.getByText("No job has failed for good.").waitFor();

    await operator("PATCH", `webhooks/${id}`, { active: true });
    await operator("POST", "orders", { title: "two" });
    await jobs.getByText(error).waitFor({ timeout: 60_000 });
    await jobs.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("No job has failed for good.").waitFor();
    expect((await operator("GET", "job-queues/webhooks/failed")).body.data).toEqual([]);
    expect(issues).toEqual([]);
  });

  it("C112 lists the deliveries of a webhook, activates it, delivers again, and rotates its secret", async () => {
    const { page, issues } = await open(`/data/webhook/row/${id}`);
    await page.getByRole("tab", { name: "Deliveries", exact: true }).last().click();
    const deliveries = page.getByRole("table", { name: "Deliveries" });
    const first = deliveries.getByRole("row").nth(1);
    await first.locator("summary").click();
    expect(await first.textContent()).toMatch(/order\.created.*<b>gone<\/b>1failed410\d+ ms/);
    await shoot(page, "deliveries");
    // Not before it is active.
    await first.getByRole("button", { name: "Deliver again" }).click();
    await page.getByRole("alert").getByText("The webhook is not active.").waitFor();
    await page.getByRole("button", { name: "Activate again" }).click();
    await page.getByRole("button", { name: "Activate again" }).waitFor({ state: "detached" });
    expect((await operator("GET", `webhooks/${id}`)).body.data).toMatchObject({ active: true, disabledReason: null });

    status = 204;
    await page.getByRole("button", { name: "Rotate secret" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Rotate" }).click();
    const shown = page.getByRole("dialog").locator("pre");
    const secret = (await shown.textContent()) ?? "";
    await page.getByRole("button", { name: "Done" }).click();
    const before = receiver.received.length;
    await first.getByRole("button", { name: "Deliver again" }).click();
    await page.getByRole("status").getByText("is in the queue again").waitFor();
    await expect.poll(() => receiver.received.length, { timeout: 60_000 }).toBe(before + 1);
    const sent = receiver.received.at(-1);
    expect(new Webhook(secret).verify(sent?.body ?? "", sent?.headers as Record<string, string>)).toMatchObject({
      type: "order.created",
    });
    await expect
      .poll(async () => {
        await page.getByRole("button", { name: "Refresh" }).click();
        return first.textContent();
      })
      .toMatch(/delivered204/);
    expect(issues).toEqual([]);
  });

  it("C114 C115 shows the state of the background to those who may see it, and no page of jobs to others", async () => {
    const { page } = await open("/health");
    await page.getByRole("region", { name: "Background" }).getByText('"consumer": "webhooks"').waitFor();
    await shoot(page, "health");
    const other = await open("/health", "ADMIN");
    await other.page.getByRole("region", { name: "Ready" }).getByText('"ready"').waitFor();
    expect(await other.page.getByRole("link", { name: "Jobs" }).count()).toBe(0);
    expect(await other.page.getByRole("region", { name: "Background" }).count()).toBe(0);
  });
});
