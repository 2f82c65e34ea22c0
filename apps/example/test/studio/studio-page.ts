import AxeBuilder from "@axe-core/playwright";
import type { ServiceInitConfig } from "@servicekit/service";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { expect } from "vitest";
import { startBrowser } from "../../../../packages/openapi/test/browser.js";
import { createAccountDatabase, password, startAccounts } from "../accounts/account-shop.js";

/** The studio in a browser, with what went wrong in it. */
export interface StudioPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Requests to other origins, answers of 500 and up, what the policy refused, uncaught errors. */
  readonly faults: string[];
  signIn(username: string): Promise<void>;
  /** Goes to a place of the studio, such as `/data/tag`. */
  visit(place: string): Promise<void>;
  close(): Promise<void>;
}

/** The shop with static accounts, its studio open in a browser, a superuser signed in. */
export async function startStudioShop(config: ServiceInitConfig = {}) {
  const database = await createAccountDatabase();
  const shop = await startAccounts({ database, accounts: "static", config: { studio: true, ...config } });
  const url = shop.url.replace("127.0.0.1", "localhost");
  const browser = await startBrowser();
  const studio = await openStudioPage(browser, url);
  await studio.signIn("root");
  const close = async (): Promise<void> => {
    await browser.close();
    await shop.close();
    await database.drop();
  };
  return { database, url, browser, studio, close };
}

export interface StudioPageOptions {
  readonly width?: number;
  readonly colorScheme?: "light" | "dark";
}

export async function openStudioPage(
  browser: Browser,
  url: string,
  { width = 1280, colorScheme = "light" }: StudioPageOptions = {},
): Promise<StudioPage> {
  const context = await browser.newContext({ viewport: { width, height: 860 }, colorScheme, acceptDownloads: true });
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("request", (request) => {
    const target = request.url();
    if (!/^(data|blob):/.test(target) && new URL(target).origin !== url) faults.push(`another host: ${target}`);
  });
  page.on("response", (response) => {
    if (response.status() >= 500) faults.push(`${response.status()}: ${response.url()}`);
  });
  page.on("console", (message) => {
    if (message.type() === "error" && /polic|uncaught|react/i.test(message.text())) faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(`uncaught: ${error.message}`));
  await page.goto(`${url}/api/studio`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  return {
    page,
    context,
    faults,
    async signIn(username) {
      await page.locator("input[name=name]").fill(username);
      await page.locator("input[name=password]").fill(password);
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "Sign out" }).waitFor();
    },
    async visit(place) {
      await page.goto(`${url}/api/studio#${place}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
    },
    close: () => context.close(),
  };
}

/** Holds a page against axe's rules. */
export async function checkAccessibility(page: Page, name: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  const told = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`);
  expect(told, name).toEqual([]);
}
