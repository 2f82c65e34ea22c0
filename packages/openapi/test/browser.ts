import fs from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";

/**
 * The path of Chromium, from the environment or from the places where Debian and others install it; `undefined` without
 * one.
 */
export const chromiumPath: string | undefined = [
  process.env.CHROMIUM_PATH,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
].find((path) => path !== undefined && fs.existsSync(path));

/** Logged if the page tests are skipped; with REQUIRE_BROWSER=1 they fail instead. */
export function isBrowserMissing(): boolean {
  if (chromiumPath !== undefined) return false;
  if (process.env.REQUIRE_BROWSER === "1") throw new Error("REQUIRE_BROWSER=1, and there is no Chromium.");
  console.warn("The tests of pages are skipped: there is no Chromium (apt-get install chromium, or CHROMIUM_PATH=…).");
  return true;
}

/** Starts a headless browser that reaches only this machine. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({
    ...(chromiumPath === undefined ? {} : { executablePath: chromiumPath }),
    args: ["--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1"],
  });
}

/** All errors of a page: failed requests, responses of 400 and up, console errors, uncaught errors. */
export function watchPage(page: Page): string[] {
  const issues: string[] = [];
  page.on("requestfailed", (request) => issues.push(`failed: ${request.url()} ${request.failure()?.errorText}`));
  page.on("response", (response) => {
    if (response.status() >= 400) issues.push(`${response.status()}: ${response.url()}`);
  });
  page.on("console", (message) => {
    if (message.type() === "error") issues.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => issues.push(`uncaught: ${error.message}`));
  return issues;
}
