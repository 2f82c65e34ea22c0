import AxeBuilder from "@axe-core/playwright";
import type { ServiceInitConfig } from "@servicekit/service";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { expect } from "vitest";
import { startBrowser } from "../../../../packages/openapi/test/browser.js";
import { createAccountDatabase, password, startAccounts } from "../accounts/account-shop.js";

/** The studio in a browser, with its errors. */
export interface StudioPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Requests to other origins, responses with 500 and above, violations of the security policy, uncaught errors. */
  readonly issues: string[];
  signIn(username: string): Promise<void>;
  /** Opens a path of the studio, such as `/data/tag`. */
  visit(place: string): Promise<void>;
  close(): Promise<void>;
}

/** The shop with static accounts, with its studio open in a browser and a superuser signed in. */
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
  const issues: string[] = [];
  page.on("request", (request) => {
    const target = request.url();
    if (!/^(data|blob):/.test(target) && new URL(target).origin !== url) issues.push(`another host: ${target}`);
  });
  page.on("response", (response) => {
    if (response.status() >= 500) issues.push(`${response.status()}: ${response.url()}`);
  });
  page.on("console", (message) => {
    if (message.type() === "error" && /polic|uncaught|react/i.test(message.text())) issues.push(message.text());
  });
  page.on("pageerror", (error) => issues.push(`uncaught: ${error.message}`));
  await page.goto(`${url}/api/studio`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  return {
    page,
    context,
    issues,
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

/** Checks a page against the rules of axe. */
export async function checkAccessibility(page: Page, name: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  const reported = violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`,
  );
  expect(reported, name).toEqual([]);
}
