import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type RunningService, type ServiceInitConfig, ServiceRouter, service } from "@servicekit/service";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { z } from "zod";
import { PrismaClient } from "../../../../packages/service/test/generated/changes/client/client.js";
import { models } from "../../../../packages/service/test/generated/changes/models.js";
import { makeStarter } from "../../../../packages/service/test/start.js";
import { emptyTables } from "../../../../scripts/test/empty-tables.js";
import { createPushedDatabase } from "../../../../scripts/test/template-database.js";

const password = "a long staple of horses";
const uploads = mkdtempSync(path.join(tmpdir(), "changes-"));
afterAll(() => rmSync(uploads, { recursive: true, force: true }));

const { init, closeAll } = makeStarter();
const contextOf = service.context<PrismaClient>();
let created: Awaited<ReturnType<typeof createPushedDatabase>>;
let client: PrismaClient;

const router = ServiceRouter();
router.post(
  { path: "/api/import", authentication: true, bodyParser: [{ parser: "urlencoded" }] },
  async (request, response) => {
    const { database } = contextOf(request);
    const row = await database
      .of("Order")
      .create({ data: { title: String((request.body as { title: unknown }).title) } });
    response.status(201).json({ id: row.id });
  },
);

const environment = { NODE_ENV: "test", JWT_SECRET: "kG6x0Zc4oPq9TfB2nVw7LsYd1RjHuM5e" };
const open = { all: true } as const;

function start(engine: "auto" | "prisma", config: ServiceInitConfig = {}) {
  return init(
    {
      fileUpload: { baseUploadDir: uploads },
      // Only for tests that hang: a busy machine never reaches it.
      timeouts: { poolWait: 60_000 },
      middlewares: { rateLimit: { limit: 1_000_000 } },
      authentication: {
        mode: "static",
        login: { allowedUsernames: ["username"] },
        password: { cost: 4 },
        rateLimit: { limit: 1_000_000 },
      },
      database: {
        models,
        engine,
        client: ({ adapter }) => {
          client = new PrismaClient({ adapter: adapter as never });
          return client;
        },
      },
      models: {
        User: { changes: true },
        Order: {
          auth: open,
          upsert: true,
          changes: true,
          uploads: { createOne: { type: "single", field: "plan", allowedFileTypes: ["txt"], deleteOnError: true } },
        },
        Line: {
          auth: open,
          changes: true,
          computed: { loud: { type: z.string(), needs: ["text"], compute: ({ text }) => String(text).toUpperCase() } },
        },
        Label: { auth: open },
      },
      use: [router],
      ...config,
    },
    { environment: { ...environment, DATABASE_URL: created.url } },
  );
}

beforeAll(async () => {
  created = await createPushedDatabase(
    inject("postgresUrl"),
    new URL("../../../../packages/service/test/fixtures/changes/schema.prisma", import.meta.url).pathname,
  );
});
afterAll(() => created?.drop());

describe.each(["auto", "prisma"] as const)("C106 the change log of a service with the engine %s", (engine) => {
  let url: string;
  let app: RunningService["app"];
  let ada: Record<string, string>;
  const json = { "content-type": "application/json" };
  const send = (method: string, at: string, body?: unknown, headers: Record<string, string> = {}) =>
    fetch(`${url}/api/${at}`, {
      method,
      headers: { ...ada, ...(body instanceof FormData || body instanceof URLSearchParams ? {} : json), ...headers },
      ...(body === undefined
        ? {}
        : { body: body instanceof FormData || body instanceof URLSearchParams ? body : JSON.stringify(body) }),
    });
  /** The changes so far, in order. */
  const changes = async () =>
    (await client.change.findMany({ orderBy: { id: "asc" } })).map(({ model, operation, key, actor }) => ({
      change: `${operation} ${model} ${key}`,
      actor,
    }));
  beforeAll(async () => {
    ({ url, app } = await start(engine));
  });
  afterAll(closeAll);
  beforeEach(async () => {
    await client.$executeRawUnsafe(
      emptyTables("Order", "Line", "Label", "_LabelToOrder", "User", "AuthKey", "Change", "IdempotencyKey"),
    );
    ada = {};
    expect((await send("POST", "auth/signup", { username: "ada", password })).status).toBe(201);
    const { accessToken } = await (await send("POST", "auth/login", { username: "ada", password })).json();
    ada = { authorization: `Bearer ${accessToken}` };
    await client.change.deleteMany();
  });

  it("C106 records who created, updated, replaced and deleted a row", async () => {
    const response = await send("POST", "orders", { title: "a" }, { "x-request-id": "request-1" });
    expect(response.status).toBe(201);
    expect(response.headers.get("location")).toBe("/api/orders/1");
    expect(await response.json()).toEqual({ data: { id: 1, title: "a", plan: null } });
    expect((await send("PATCH", "orders/1", { title: "b" })).status).toBe(200);
    expect((await send("PUT", "orders/1", { title: "c" })).status).toBe(200);
    expect((await send("DELETE", "orders/1")).status).toBe(204);
    expect(await changes()).toEqual(
      ["create", "update", "update", "delete"].map((operation) => ({
        change: `${operation} Order 1`,
        actor: "user:1",
      })),
    );
    const [first] = await client.change.findMany({ orderBy: { id: "asc" } });
    expect(first).toMatchObject({ requestId: "request-1", before: null, after: { id: 1, title: "a", plan: null } });
  });

  it("C106 records nested and bulk writes, upserts, and rows that the database deletes", async () => {
    await send("POST", "orders", { title: "a", lines: [{ text: "1" }, { text: "2" }] });
    await send("POST", "orders/many", [{ title: "b" }, { title: "c" }]);
    await send("POST", "orders/many?onConflict=title&resolution=merge", [{ title: "c", plan: "x" }, { title: "d" }]);
    await send("PATCH", "orders/many?title=b", { plan: "y" });
    await send("DELETE", "orders/many", { ids: [1, 2] });
    const found = (await changes()).map(({ change }) => change);
    expect(found.slice(0, 3)).toEqual(["create Order 1", "create Line 1", "create Line 2"]);
    expect(found.slice(3, 5)).toEqual(["create Order 2", "create Order 3"]);
    expect(found.slice(5, 7).sort()).toEqual(["create Order 4", "update Order 3"]);
    expect(found.slice(7, 8)).toEqual(["update Order 2"]);
    expect(found.slice(8).sort()).toEqual(["delete Line 1", "delete Line 2", "delete Order 1", "delete Order 2"]);
  });

  it("C102 C106 returns computed fields, and records only stored ones", async () => {
    await send("POST", "orders", { title: "a" });
    const dataOf = async (method: string, at: string, body: unknown) =>
      (await (await send(method, at, body)).json()).data;
    const { id, loud } = await dataOf("POST", "lines", { text: "one", orderId: 1 });
    expect(loud).toBe("ONE");
    expect((await dataOf("PATCH", `lines/${id}`, { text: "two" })).loud).toBe("TWO");
    expect((await dataOf("POST", "lines/many", [{ text: "x", orderId: 1 }]))[0].loud).toBe("X");
    expect((await dataOf("PATCH", "lines/many", [{ id, text: "three" }]))[0].loud).toBe("THREE");
    expect((await dataOf("PATCH", "lines/many?text=three", { text: "four" }))[0].loud).toBe("FOUR");
    expect((await send("DELETE", `lines/${id}`)).status).toBe(204);
    const recorded = (await client.change.findMany({ orderBy: { id: "asc" } })).filter(({ model }) => model === "Line");
    expect(recorded.map(({ operation }) => operation)).toEqual([
      "create",
      "update",
      "create",
      "update",
      "update",
      "delete",
    ]);
    expect(JSON.stringify(recorded.map(({ before, after }) => [before, after]))).not.toContain("loud");
  });

  it("C106 names the caller in every form of body, and in a handler", async () => {
    const form = new FormData();
    form.set("title", "with a file");
    form.set("plan", new Blob(["text"], { type: "text/plain" }), "plan.txt");
    expect((await send("POST", "orders", form)).status).toBe(201);
    expect((await send("POST", "import", new URLSearchParams({ title: "of a form" }))).status).toBe(201);
    expect(await changes()).toEqual([
      { change: "create Order 1", actor: "user:1" },
      { change: "create Order 2", actor: "user:1" },
    ]);
  });

  it("C106 names API keys, anonymous clients and the service itself", async () => {
    const { key, id } = (await (await send("POST", "auth/keys", { name: "program" })).json()).data;
    ada = { "x-api-key": key };
    expect((await send("POST", "orders", { title: "of a program" })).status).toBe(201);
    ada = {};
    expect((await send("POST", "auth/signup", { username: "eve", password })).status).toBe(201);
    await contextOf({ app })
      .database.of("Order")
      .create({ data: { title: "of the service" } });
    await client.order.create({ data: { title: "not through the service" } });
    expect(await changes()).toEqual([
      { change: "create Order 1", actor: `key:${id}` },
      { change: "create User 2", actor: "anonymous" },
      { change: "create Order 2", actor: "system" },
    ]);
    const user = await client.change.findFirst({ where: { model: "User" } });
    expect(Object.keys(user?.after as object)).not.toContain("password");
  });

  it("C106 records nothing of a rejected write, and a repeated request once", async () => {
    await send("POST", "orders", { title: "a" });
    expect((await send("POST", "orders", { title: "a" })).status).toBe(409);
    expect((await send("POST", "orders/many", [{ title: "b" }, { title: "a" }])).status).toBe(409);
    expect((await send("PATCH", "orders/9", { title: "a" })).status).toBe(404);
    expect((await send("DELETE", "orders/many", { ids: [1, 9] })).status).toBe(404);
    expect((await send("DELETE", "orders/1", undefined, { "if-match": '"other"' })).status).toBe(412);
    for (const status of [201, 201])
      expect((await send("POST", "orders", { title: "once" }, { "idempotency-key": "one" })).status).toBe(status);
    expect((await changes()).map(({ change }) => change.replace(/\d+$/, ""))).toEqual([
      "create Order ",
      "create Order ",
    ]);
  });

  it("C106 has no routes", async () => {
    expect((await send("GET", "changes")).status).toBe(404);
  });

  it("C106 keeps one change for each of 100 concurrent updates", async () => {
    await send("POST", "orders", { title: "a" });
    const all = await Promise.all(
      Array.from({ length: 100 }, (_, index) => send("PATCH", "orders/1", { title: `${index}` })),
    );
    expect(all.every(({ status }) => status === 200)).toBe(true);
    const found = await client.change.findMany({ orderBy: { id: "asc" } });
    expect(found).toHaveLength(101);
    for (const [index, { before }] of found.slice(1).entries()) expect(before).toEqual(found[index]?.after);
  });
});

describe("C106 a service does not start", () => {
  afterEach(closeAll);
  it.each<readonly [string, ServiceInitConfig["models"], RegExp]>([
    [
      "if the change log records itself",
      { Change: { changes: true } },
      /models\.Change\.changes.*does not record itself/s,
    ],
  ])("C106 %s", async (_, configured, message) => {
    await expect(start("auto", { models: configured ?? {} })).rejects.toThrow(message);
  });

  it("C106 without the model Change, and names the command that adds it", async () => {
    const without = { ...models, models: models.models.filter(({ name }) => name !== "Change") };
    await expect(
      start("auto", {
        models: { Order: { changes: true } },
        database: {
          models: without as unknown as typeof models,
          client: ({ adapter }) => new PrismaClient({ adapter: adapter as never }),
        },
      }),
    ).rejects.toThrow(
      /models\.Order\.changes: requires a model Change in the schema\. Run npx service generate changes\./,
    );
  });
});
