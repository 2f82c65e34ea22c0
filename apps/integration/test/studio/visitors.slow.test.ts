import path from "node:path";
import type { AuthConfig } from "@servicekit/service";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { isBrowserMissing, startBrowser } from "../../../../packages/openapi/test/browser.js";
import { PrismaClient } from "../../../../packages/service/test/generated/idempotency/client/client.js";
import { models } from "../../../../packages/service/test/generated/idempotency/models.js";
import { makeStarter } from "../../../../packages/service/test/start.js";
import { makeKey, startIssuer } from "../../../../scripts/test/fake-issuer.js";
import { createPushedDatabase } from "../../../../scripts/test/template-database.js";

describe.skipIf(isBrowserMissing())("C76 the studio with external authentication", { timeout: 60_000 }, () => {
  const { init, closeAll } = makeStarter();
  let database: Awaited<ReturnType<typeof createPushedDatabase>>;
  let issuer: Awaited<ReturnType<typeof startIssuer>>;
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  beforeAll(async () => {
    database = await createPushedDatabase(
      inject("postgresUrl"),
      path.join(import.meta.dirname, "../../../../packages/service/test/fixtures/idempotency"),
    );
    issuer = await startIssuer(makeKey("first"));
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await closeAll();
    await issuer?.close();
    await database?.drop();
  });

  /** A service whose callers have the cookie `who`, or a token of the issuer. */
  async function open(authentication: Partial<AuthConfig>, environment: Record<string, string> = {}) {
    const service = await init(
      {
        studio: true,
        host: "localhost",
        authentication: {
          mode: "static",
          issuers: [{ issuer: issuer.issuer, audience: "shop", user: ({ sub }) => ({ id: sub, roles: ["READER"] }) }],
          identify: ({ headers }) => {
            const [, id] = /\bwho=(\w+)/.exec(headers.cookie ?? "") ?? [];
            return id === undefined ? undefined : { id, roles: ["READER"] };
          },
          ...authentication,
        },
        database: { models, client: ({ adapter }) => new PrismaClient({ adapter }) },
        models: { Order: { auth: { all: ["READER"] } } },
      },
      { environment: { NODE_ENV: "test", DATABASE_URL: database.url, ...environment } },
    );
    const context = await browser.newContext();
    context.setDefaultTimeout(15_000);
    const page = await context.newPage();
    const issues: string[] = [];
    page.on("pageerror", (error) => issues.push(error.message));
    const url = service.url.replace("127.0.0.1", "localhost");
    await page.goto(`${url}/api/studio`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    const signIn = () => context.addCookies([{ name: "who", value: "bea", url }]);
    return { page, context, url, issues, signIn };
  }

  it("works with the cookie that identify reads, or with a pasted token, without accounts of its own", async () => {
    const { page, context, url, issues, signIn } = await open({ accounts: false });
    await page.getByText("This service has no passwords of its own").waitFor();
    expect(await page.locator("input[name=password]").count()).toBe(0);
    await page.getByRole("button", { name: "I have signed in" }).click();
    await page.getByRole("alert").waitFor();
    await signIn();
    await page.getByRole("button", { name: "I have signed in" }).click();
    await page.getByRole("link", { name: "Orders" }).first().waitFor();
    // It cannot end a session of another service.
    expect(await page.getByRole("button", { name: "Sign out" }).count()).toBe(0);
    await page.goto(`${url}/api/studio#/data/order/new`);
    await page.reload();
    await page.getByLabel("Product").fill("a book of knots");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByRole("tab", { name: "Fields" }).waitFor();
    await page.goto(`${url}/api/studio#/account`);
    await page.getByText("You signed in with another service").waitFor();
    await context.clearCookies();
    await page.reload();
    await page.locator("input[name=token]").fill("no token");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("alert").waitFor();
    await page.locator("input[name=token]").fill(issuer.sign());
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.goto(`${url}/api/studio#/data/order`);
    await page.getByRole("cell", { name: "a book of knots" }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.locator("input[name=token]").waitFor();
    expect(issues).toEqual([]);
    await context.close();
  });

  it("works with both next to accounts of its own, which these callers do not have", async () => {
    const secret = { JWT_SECRET: "kG6x0Zc4oPq9TfB2nVw7LsYd1RjHuM5e" };
    const { page, context, issues, signIn } = await open({ login: { allowedUsernames: ["email"] } }, secret);
    await page.locator("input[name=password]").waitFor();
    await page.getByRole("button", { name: "Use a token instead" }).click();
    await page.locator("input[name=token]").fill(issuer.sign());
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("link", { name: "Orders" }).first().waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.locator("input[name=password]").waitFor();
    await signIn();
    await page.reload();
    await page.getByRole("link", { name: "Orders" }).first().waitFor();
    expect(issues).toEqual([]);
    await context.close();
  });
});
