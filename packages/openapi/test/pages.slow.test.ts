import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { makeRouteTable, ServiceRouter } from "@servicekit/router";
import express from "express";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { makeDocsRouter, readApiDocsSettings } from "../src/index.js";
import { isBrowserMissing, startBrowser, watchPage } from "./browser.js";

describe.skipIf(isBrowserMissing())("C47 the pages in a browser without access to other hosts", () => {
  let server: Server;
  let browser: Browser;
  let origin: string;

  beforeAll(async () => {
    const app = express();
    const router = ServiceRouter();
    router.get(
      {
        path: "/api/posts",
        validation: { query: z.object({ title__contains: z.string().optional() }) },
        experimental: { openapi: { summary: "Lists posts." } },
      },
      (request, response) => void response.json({ data: [{ title: `found ${JSON.stringify(request.query)}` }] }),
    );
    app.use(router);
    app.use(
      makeDocsRouter({
        settings: readApiDocsSettings(undefined, { nodeEnv: "test" }),
        document: () => ({
          table: makeRouteTable(app.router),
          serverUrl: origin,
          surrounding: { isLimited: () => false, isAuthenticated: false, hasTimeLimit: false },
        }),
      }),
    );
    server = app.listen(0, "localhost");
    await new Promise((resolve) => server.once("listening", resolve));
    origin = `http://localhost:${(server.address() as AddressInfo).port}`;
    browser = await startBrowser();
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    server?.closeAllConnections();
    server?.close();
  });

  it("Swagger UI opens without an error and tries a route", { timeout: 300_000 }, async () => {
    const page = await browser.newPage();
    const issues = watchPage(page);
    await page.goto(`${origin}/api/api-docs`);
    await page.getByText("Lists posts.").click();
    await page.getByRole("button", { name: "Try it out" }).click();
    await page.getByPlaceholder("title__contains").fill("tea");
    const responded = page.waitForResponse((response) => response.url() === `${origin}/api/posts?title__contains=tea`);
    await page.getByRole("button", { name: "Execute" }).click();
    expect((await responded).status()).toBe(200);
    await page.getByText("Server response").waitFor();
    expect(issues).toEqual([]);
    await page.close();
  });

  it.each([
    ["at desktop width", { width: 1280, height: 900 }],
    ["at phone width", { width: 390, height: 800 }],
  ])("Scalar opens without an error, %s", { timeout: 300_000 }, async (_name, viewport) => {
    const page = await browser.newPage({ viewport });
    const issues = watchPage(page);
    await page.goto(`${origin}/api/api-docs/reference`);
    await page.getByText("This document as JSON.").first().waitFor({ state: "attached" });
    expect(issues).toEqual([]);
    const width = await page.evaluate("document.documentElement.scrollWidth");
    expect(width).toBeLessThanOrEqual(viewport.width);
    await page.close();
  });
});
