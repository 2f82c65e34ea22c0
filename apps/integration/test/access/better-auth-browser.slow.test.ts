import fs from "node:fs";
import path from "node:path";
import { callerOf, type ServiceConfig, ServiceRouter } from "@servicekit/service";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { isBrowserMissing, startBrowser } from "../../../../packages/openapi/test/browser.js";
import { PrismaClient } from "../../../../packages/service/test/generated/idempotency/client/client.js";
import { models } from "../../../../packages/service/test/generated/idempotency/models.js";
import { makeStarter } from "../../../../packages/service/test/start.js";
import { freePort } from "../../../../scripts/test/free-port.js";
import { createPushedDatabase } from "../../../../scripts/test/template-database.js";

const docs = path.join(import.meta.dirname, "../../../../docs/guides/identity-providers.md");
const [, block = ""] =
  /^## Sessions of another library[\s\S]*?^```ts\n([\s\S]*?)^```$/m.exec(fs.readFileSync(docs, "utf8")) ?? [];

/** A page of the application with forms to sign up and in. */
const html = `<!doctype html><link rel=icon href=data:,><title>Shop</title>
<form id="up"><input name="name"><input name="email"><input name="password" type="password"><button>Sign up</button></form>
<form id="in"><input name="email"><input name="password" type="password"><button>Sign in</button></form>
<button id="out">Sign out</button><pre id="result"></pre>
<script>
const send = async (path, body) => {
  const response = await fetch("/api/auth/" + path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  result.textContent = path + " " + response.status;
};
for (const [id, path] of [["up", "sign-up/email"], ["in", "sign-in/email"]])
  document.getElementById(id).onsubmit = (event) => { event.preventDefault(); send(path, Object.fromEntries(new FormData(event.target))); };
document.getElementById("out").onclick = () => send("sign-out", {});
</script>`;

describe.skipIf(isBrowserMissing())("C72 Better Auth as in the documentation, in a real browser", () => {
  const { init, closeAll } = makeStarter();
  const project = fs.mkdtempSync(path.join(import.meta.dirname, ".sign-ins-"));
  let database: Awaited<ReturnType<typeof createPushedDatabase>>;
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  let page: Awaited<ReturnType<typeof browser.newPage>>;
  let url: string;

  beforeAll(async () => {
    database = await createPushedDatabase(
      inject("postgresUrl"),
      path.join(import.meta.dirname, "../../../../packages/service/test/fixtures/idempotency"),
    );
    const port = await freePort();
    url = `http://localhost:${port}`;
    expect(block).toContain('"http://localhost:8000"');
    // The file of the page, except for the port and the secret.
    const code = block
      .replace('"http://localhost:8000"', JSON.stringify(url))
      .replace("process.env.BETTER_AUTH_SECRET", '"0123456789abcdef0123456789abcdef", telemetry: { enabled: false }');
    fs.writeFileSync(path.join(project, "service.config.ts"), code);
    const { default: config } = (await import(/* @vite-ignore */ path.join(project, "service.config.ts"))) as {
      readonly default: ServiceConfig;
    };
    const pages = ServiceRouter();
    pages.get({ path: "/sign-in" }, (_request, response) => void response.type("html").send(html));
    const rows = { where: (request: Parameters<typeof callerOf>[0]) => ({ product: String(callerOf(request)?.id) }) };
    await init(
      {
        ...config,
        port,
        host: "localhost",
        database: { models, client: ({ adapter }) => new PrismaClient({ adapter }) },
        middlewares: { securityHeaders: false },
        models: { Order: { auth: { ...rows, all: ["READER"] } } },
        use: [pages],
      },
      { environment: { NODE_ENV: "test", DATABASE_URL: database.url } },
    );
    browser = await startBrowser();
    page = await (await browser.newContext()).newPage();
  });
  afterAll(async () => {
    await browser?.close();
    await closeAll();
    await database?.drop();
    fs.rmSync(project, { recursive: true, force: true });
  });

  const fill = async (form: string, values: Readonly<Record<string, string>>): Promise<void> => {
    for (const [name, value] of Object.entries(values)) await page.fill(`#${form} [name=${name}]`, value);
    await page.click(`#${form} button`);
  };
  const expectResult = (text: string) => expect.poll(() => page.textContent("#result")).toBe(text);
  const call = (method: string, target: string, body?: object) =>
    page.evaluate(
      async ([how, where, what]) => {
        const headers = { "content-type": "application/json" };
        const reply = await fetch(where, what === undefined ? { method: how } : { method: how, headers, body: what });
        return { status: reply.status, data: ((await reply.json()) as { data?: { product: string }[] }).data };
      },
      [method, `/api/${target}`, body && JSON.stringify(body)] as const,
    );
  const idOf = async (): Promise<string> =>
    page.evaluate(
      async () => ((await (await fetch("/api/auth/get-session")).json()) as { user: { id: string } }).user.id,
    );

  it("C72 a user who signs up and in on a page finds their own rows and no others, and a wrong password is rejected", async () => {
    const ada = { email: "ada@example.com", password: "correct horse battery" };
    const bea = { email: "bea@example.com", password: "another long battery" };
    await page.goto(`${url}/sign-in`);
    expect((await call("GET", "orders")).status).toBe(401);

    const ids: string[] = [];
    for (const [name, who] of Object.entries({ Ada: ada, Bea: bea })) {
      await fill("up", { name, ...who });
      await expectResult("sign-up/email 200");
      const id = await idOf();
      ids.push(id);
      expect((await call("POST", "orders", { product: id })).status, name).toBe(201);
      expect((await call("POST", "orders", { product: "of another" })).status, name).toBe(403);
      expect((await call("GET", "orders")).data?.map(({ product }) => product)).toEqual([id]);
      // Scripts cannot read the session.
      expect(await page.evaluate(() => document.cookie)).toBe("");
      await page.click("#out");
      await expectResult("sign-out 200");
      expect((await call("GET", "orders")).status).toBe(401);
    }
    expect(new Set(ids).size).toBe(2);

    await fill("in", { ...ada, password: "not her password" });
    await expectResult("sign-in/email 401");
    expect((await call("GET", "orders")).status).toBe(401);
    await fill("in", ada);
    await expectResult("sign-in/email 200");
    await page.reload();
    expect((await call("GET", "orders")).data?.map(({ product }) => product)).toEqual([ids[0]]);
    expect((await call("PATCH", "orders/many", [{ id: 2, amount: 9 }])).status).toBe(404);
  });
});
