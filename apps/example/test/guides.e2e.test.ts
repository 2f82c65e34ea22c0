import { createHmac } from "node:crypto";
import fs from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import service, { type ModelConfig, type Service, type ServiceInitConfig } from "@servicekit/service";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type AccountDatabase, createAccountDatabase, password, secret } from "./accounts/account-shop.js";
import { type Api, makeApi } from "./api.js";

const example = path.join(import.meta.dirname, "..");
const guides = ["row-rules", "file-uploads", "incoming-webhooks", "testing", "express-application", "error-handling"];
const blocks = guides.flatMap((name) => {
  const page = fs.readFileSync(path.join(example, "..", "..", "docs", "guides", `${name}.md`), "utf8");
  return [...page.matchAll(/^```ts\n(\/\/ ((?:src|pages)\/\S+)\n[\s\S]*?)^```$/gm)];
});
/** The files of these guides, as one project beside the generated client. */
const project = fs.mkdtempSync(path.join(import.meta.dirname, ".guides-"));

type Routes = NonNullable<ServiceInitConfig["use"]>[number];

const load = (file: string) => import(/* @vite-ignore */ path.join(project, "src", file));

async function loadModule(name: string): Promise<ModelConfig> {
  const { default: config } = (await load(`modules/${name}/${name}.model.ts`)) as { readonly default: ModelConfig };
  const file = `modules/${name}/${name}.middlewares.ts`;
  return fs.existsSync(path.join(project, "src", file)) ? { ...config, hooks: { ...(await load(file)) } } : config;
}

describe("the code of the guides in one service", () => {
  let database: AccountDatabase;
  let running: Service;
  let api: Api;
  let url: string;
  const tokens = new Map<string, string>();

  const as = async (who: string | undefined, method: string, target: string, body?: unknown) => {
    const token = who === undefined ? undefined : tokens.get(who);
    return api.call<{ data: Record<string, unknown> }>(
      method,
      target,
      body === undefined ? undefined : JSON.stringify(body),
      token === undefined ? {} : { authorization: `Bearer ${token}` },
    );
  };

  beforeAll(async () => {
    for (const [, code = "", file = ""] of blocks) {
      const target = path.join(project, file);
      fs.mkdirSync(path.dirname(target), { recursive: true });
      fs.writeFileSync(target, code);
    }
    fs.symlinkSync(path.join(example, "src", "generated"), path.join(project, "src", "generated"));
    database = await createAccountDatabase();
    process.env.PAYMENTS_SECRET = "of the payments";
    // The service of the Next guide reads its variables from the environment.
    for (const [name, value] of Object.entries({
      DATABASE_URL: database.url,
      JWT_SECRET: secret,
      LOG_LEVEL: "error",
    })) {
      vi.stubEnv(name, value);
    }
    const { app } = (await load("app.ts")) as { readonly app: ServiceInitConfig };
    const { payments } = (await load("routes/payments.ts")) as { readonly payments: Routes };
    const { renameConflicts } = (await load("error-handlers.ts")) as { readonly renameConflicts: Routes };
    const { orders } = (await load("routes/orders.ts")) as { readonly orders: Routes };
    const { applications } = (await load("routes/applications.ts")) as { readonly applications: Routes };
    const models = {
      Review: await loadModule("review"),
      Address: await loadModule("address"),
      Product: await loadModule("product"),
      Supplier: await loadModule("supplier"),
    };
    const environment = { DATABASE_URL: database.url, JWT_SECRET: secret, NODE_ENV: "test", LOG_LEVEL: "error" };
    const fileUpload = { baseUploadDir: path.join(project, "uploads") };
    const quiet = { requestLogger: false, rateLimit: false } as const;
    running = await service.create(
      { ...app, use: [payments, orders, applications, renameConflicts], fileUpload, models, middlewares: quiet },
      { directory: project, environment },
    );
    await new Promise<void>((resolve) => running.server.listen(0, "127.0.0.1", resolve));
    const address = running.server.address();
    url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
    api = makeApi(url);
    for (const username of ["ada", "ben", "edda"]) {
      const reply = await fetch(`${url}/api/auth/login`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ username, password }),
      });
      tokens.set(username, ((await reply.json()) as { accessToken: string }).accessToken);
    }
  });
  afterAll(async () => {
    delete process.env.PAYMENTS_SECRET;
    vi.unstubAllEnvs();
    await running?.close();
    await database?.drop();
    fs.rmSync(project, { recursive: true, force: true });
  });

  it("lets customers change only their own reviews, and sets the owner in a hook", async () => {
    const [ada, ben] = [await database.own("ada"), await database.own("ben")];
    await database.client.review.deleteMany({ where: { customerId: ada.customerId } });
    const { id: productId } = await database.client.product.findFirstOrThrow({
      where: { status: "ACTIVE" },
      orderBy: { id: "asc" },
    });
    const sent = await as("ada", "POST", "/api/reviews", { rating: 5, body: "Good.", productId });
    expect(sent.status).toBe(201);
    expect(sent.body.data.customerId).toBe(ada.customerId);
    const claimed = { rating: 5, body: "Good.", productId, customerId: ben.customerId };
    expect((await as("ada", "POST", "/api/reviews", claimed)).status).toBe(400);
    const target = `/api/reviews/${sent.body.data.id}`;
    expect((await as(undefined, "GET", target)).status).toBe(200);
    expect((await as("ben", "PATCH", target, { rating: 1 })).status).toBe(404);
    expect((await as("ada", "PATCH", target, { rating: 4 })).status).toBe(200);
    expect((await as("ben", "DELETE", target)).status).toBe(404);
  });

  it("hides the rows of other tenants, in single and in bulk requests", async () => {
    const [ada, ben] = [await database.own("ada"), await database.own("ben")];
    const address = (label: string) => ({ label, street: "Quay 1", postalCode: "1", city: "Lyon", country: "FR" });
    const sent = await as("ada", "POST", "/api/addresses", address("a boat"));
    expect([sent.status, sent.body.data.customerId]).toEqual([201, ada.customerId]);
    const many = await as("ada", "POST", "/api/addresses/many", [address("one"), address("two")]);
    expect(many.body.data).toMatchObject([{ customerId: ada.customerId }, { customerId: ada.customerId }]);
    expect((await as("ben", "GET", `/api/addresses/${sent.body.data.id}`)).status).toBe(404);
    expect((await as("ada", "GET", `/api/addresses/${ben.addressId}`)).status).toBe(404);
    expect((await as("edda", "GET", "/api/addresses")).body.data).toEqual([]);
    expect((await as("edda", "POST", "/api/addresses", address("another user's"))).status).toBe(403);
    expect((await as(undefined, "GET", "/api/addresses")).status).toBe(401);
  });

  it("returns error codes of the application from handlers and for conflicts of generated routes", async () => {
    // Without `api`, which checks responses against the OpenAPI document: these codes are not in it.
    const send = async (target: string, body: unknown) => {
      const headers = { "content-type": "application/json", authorization: `Bearer ${tokens.get("ada")}` };
      const response = await fetch(url + target, { method: "POST", headers, body: JSON.stringify(body) });
      const { code, errors } = (await response.json()) as { code?: string; errors?: { path: string }[] };
      return [response.status, code, errors?.map(({ path: place }) => place)];
    };
    const address = { label: "the mill", street: "Quay 1", postalCode: "1", city: "Lyon", country: "FR" };
    expect(await send("/api/addresses", address)).toEqual([201, undefined, undefined]);
    expect(await send("/api/addresses", address)).toEqual([409, "AddressExists", undefined]);
    expect(await send("/api/quick-orders", { sku: "LAMP-1", quantity: 3 })).toEqual([409, "OutOfStock", ["/quantity"]]);
  });

  it("stores the files of a form, and rejects a form without its required file", async () => {
    const send = async (form: Readonly<Record<string, string | File>>) => {
      const body = new FormData();
      for (const [name, value] of Object.entries(form)) body.append(name, value);
      const headers = { authorization: `Bearer ${tokens.get("ada")}` };
      const response = await fetch(`${url}/api/applications`, { method: "POST", headers, body });
      return { status: response.status, body: (await response.json()) as { data?: Record<string, unknown> } };
    };
    const letter = new File(["%PDF-1.4\n%%EOF"], "letter.pdf");
    const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const photos = new File([Buffer.from(pixel, "base64")], "me.png");
    const sent = await send({ name: "Ada", letter, photos });
    expect(sent.status).toBe(201);
    expect(sent.body.data).toEqual({
      name: "Ada",
      letter: expect.stringMatching(/^\/api\/uploads\/documents\/.+\.pdf$/),
      photos: [expect.stringMatching(/^\/api\/uploads\/images\/.+\.png$/)],
    });
    expect((await send({ name: "Ada", photos })).status).toBe(400);
  });

  it("keeps a soft-deleted row in the table and out of every response", async () => {
    const { id } = await database.client.product.findFirstOrThrow({
      where: { status: "ACTIVE" },
      orderBy: { id: "desc" },
    });
    const target = `/api/products/${id}`;
    expect((await as("ada", "DELETE", target)).status).toBe(403);
    expect((await as("edda", "DELETE", target)).status).toBe(204);
    expect((await as("edda", "DELETE", target)).status).toBe(404);
    expect((await as("edda", "GET", target)).status).toBe(404);
    expect((await as("edda", "PATCH", target, { name: "Back" })).status).toBe(404);
    expect((await as("edda", "GET", `/api/products?id=${id}`)).body.data).toEqual([]);
    expect((await as("edda", "DELETE", "/api/products/x")).status).toBe(404);
    expect(await database.client.product.count({ where: { id, status: "DISCONTINUED" } })).toBe(1);
  });

  it("responds to the requests of a Next API route", async () => {
    const { api: made } = (await load("api.ts")) as { readonly api: Promise<Service> };
    const route = path.join(project, "pages/api/[...path].ts");
    const { default: handler, config } = await import(/* @vite-ignore */ route);
    expect(config).toEqual({ api: { bodyParser: false, externalResolver: true } });
    // Next adds the query and the cookies to the Node request.
    const next = createServer((request, response) => {
      Object.assign(request, { query: { path: ["categories"] }, cookies: {} });
      void handler(request, response);
    });
    await new Promise<void>((resolve) => void next.listen(0, "127.0.0.1", resolve));
    const { port } = next.address() as AddressInfo;
    const call = (target: string, options?: RequestInit) => fetch(`http://127.0.0.1:${port}${target}`, options);
    expect((await call("/api/categories?limit=1")).status).toBe(401);
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ username: "ada", password });
    const signedIn = await call("/api/auth/login", { method: "POST", headers, body });
    const { accessToken } = (await signedIn.json()) as { accessToken: string };
    const me = await call("/api/users/me", { headers: { authorization: `Bearer ${accessToken}` } });
    expect(await me.json()).toMatchObject({ data: { username: "ada" } });
    next.close();
    await (await made).close();
  });

  it("accepts a webhook only with a valid signature", async () => {
    const body = '{ "paid":  true }';
    const sign = (text: string) => createHmac("sha256", "of the payments").update(text).digest("hex");
    // Without `api`, which checks responses against the OpenAPI document: this route is not in it.
    const send = (signature: string) =>
      fetch(`${url}/webhooks/payments`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-signature": signature },
        body,
      });
    expect((await send(sign(body))).status).toBe(200);
    expect((await send(sign("{}"))).status).toBe(401);
    expect((await send("")).status).toBe(401);
  });
});
