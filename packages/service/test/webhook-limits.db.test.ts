import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { ServiceInitConfig } from "../src/index.js";
import { type Call, callerAt, config, makeWebhookServices } from "./serve-webhooks.js";

const { init, environment, createDatabase, dropDatabase, start, clear, query } = makeWebhookServices();
beforeAll(createDatabase);
afterEach(clear);
afterAll(dropDatabase);

const open = { auth: { all: true } } as const;
const operations = { createMany: true, updateMany: true } as const;
const withLimits = (limits: object, more: ServiceInitConfig = {}): ServiceInitConfig => ({
  webhooks: { allow: ["127.0.0.1"], ...limits },
  models: {
    Order: { ...open, changes: true },
    Webhook: { ...open, operations, import: true, upsert: true, writable: ["id"] },
    Firm: { ...open, writable: ["id", "webhooks"] },
  },
  ...more,
});
interface Documented {
  readonly paths: Readonly<
    Record<string, { readonly post?: { readonly responses: { readonly 409: { readonly $ref: string } } } }>
  >;
  readonly components: { readonly responses: Readonly<Record<string, unknown>> };
}

const webhook = (n = 1) => ({ url: `http://127.0.0.1/${n}`, events: ["order.created"] });
const webhooks = (count: number) => Array.from({ length: count }, (_, n) => webhook(n));
const statusOf = async (sent: ReturnType<Call>) => (await sent).status;
const countOf = async (call: Call): Promise<number> => (await call("GET", "webhooks?limit=1")).body.meta.total;

describe("C112 the number of webhooks", () => {
  it("C112 is limited for each user and for all of them: 409 names the limit, until one is deleted", async () => {
    const { as } = await start(withLimits({ maxPerCaller: 2, maxPerTenant: 3 }));
    const [ada, bob] = [await as("ADA"), await as("BOB")];
    const first = await ada("POST", "webhooks", webhook());
    expect([first.status, first.body.data]).toEqual([
      201,
      expect.not.objectContaining({ createdBy: expect.anything() }),
    ]);
    expect(await statusOf(ada("POST", "webhooks", webhook()))).toBe(201);
    const third = await ada("POST", "webhooks", webhook());
    expect(third).toMatchObject({
      status: 409,
      body: { code: "Conflict", detail: "A user has at most 2 webhooks (webhooks.maxPerCaller). Delete one first." },
    });
    expect(await statusOf(bob("POST", "webhooks", webhook()))).toBe(201);
    expect((await bob("POST", "webhooks", webhook())).body.detail).toBe(
      "The service has at most 3 webhooks (webhooks.maxPerTenant). Delete one first.",
    );
    const { id } = first.body.data;
    // An inactive one counts, so that it can be activated again.
    for (const active of [false, true]) expect(await statusOf(ada("PATCH", `webhooks/${id}`, { active }))).toBe(200);
    await ada("PATCH", `webhooks/${id}`, { active: false });
    expect(await statusOf(bob("POST", "webhooks", webhook()))).toBe(409);
    expect(await statusOf(ada("DELETE", `webhooks/${id}`))).toBe(204);
    expect(await statusOf(bob("POST", "webhooks", webhook()))).toBe(201);
  });

  it.each([
    ["a bulk create", "POST", "webhooks/many", webhooks(3), {}],
    [
      "an import",
      "POST",
      "webhooks/many",
      `url,events\n${'http://127.0.0.1/1,"[""order.created""]"\n'.repeat(3)}`,
      { "content-type": "text/csv" },
    ],
    ["a dry run", "POST", "webhooks/many?dryRun=true", webhooks(3), {}],
    ["an upsert", "POST", "webhooks/many?onConflict=id", webhooks(3).map((one, n) => ({ id: `${n}`, ...one })), {}],
  ] as const)(
    "C112 is limited in %s, which creates nothing above the limit",
    async (_name, method, at, body, headers) => {
      const { as } = await start(withLimits({ maxPerCaller: 2 }));
      const ada = await as("ADA");
      const above = await ada(method, at, body, headers);
      expect([above.status, above.body.detail]).toEqual([
        409,
        "A user has at most 2 webhooks (webhooks.maxPerCaller). Delete one first.",
      ]);
      expect(await countOf(ada)).toBe(0);
      expect(await statusOf(ada("POST", "webhooks/many", webhooks(2)))).toBe(201);
    },
  );

  it("C112 is limited in creates below other rows, which may connect existing ones", async () => {
    const { as } = await start(withLimits({ maxPerCaller: 1 }));
    const ada = await as("ADA");
    const { id } = (await ada("POST", "webhooks", webhook())).body.data;
    const firm = { id: 1, name: "a" };
    expect(await statusOf(ada("POST", "firms", { ...firm, webhooks: [webhook()] }))).toBe(409);
    expect(await statusOf(ada("POST", "firms", { ...firm, webhooks: [{ id }] }))).toBe(201);
    expect(await countOf(ada)).toBe(1);
  });

  it("C112 is not exceeded by concurrent creates of two instances", async () => {
    const limits = withLimits({ maxPerCaller: 3 });
    const one = await start(limits);
    const other = await init(config(limits), environment());
    const ada = await one.as("ADA");
    const login = await fetch(`${other.url}/api/auth/login`, {
      ...{ method: "POST", headers: { "content-type": "application/json" } },
      body: JSON.stringify({ username: "ADA", password: "a long staple of horses" }),
    });
    const { accessToken } = (await login.json()) as { readonly accessToken: string };
    const atOther = async (n: number): Promise<number> => {
      const headers = { authorization: `Bearer ${accessToken}`, "content-type": "application/json" };
      const sent = { method: "POST", headers, body: JSON.stringify(webhook(n)) };
      return (await fetch(`${other.url}/api/webhooks`, sent)).status;
    };
    const statuses = await Promise.all(
      Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? statusOf(ada("POST", "webhooks", webhook(n))) : atOther(n))),
    );
    expect(statuses.toSorted()).toEqual([...Array(3).fill(201), ...Array(17).fill(409)]);
    expect(await countOf(ada)).toBe(3);
  });

  it("C112 of users counts what they have created: bodies do not set it, and an upsert of another user keeps it", async () => {
    const { as, service } = await start(withLimits({ maxPerCaller: 1 }));
    const [ada, bob] = [await as("ADA"), await as("BOB")];
    expect(await statusOf(ada("POST", "webhooks", { ...webhook(), createdBy: "bob" }))).toBe(400);
    const { id } = (await ada("POST", "webhooks", webhook())).body.data;
    expect(await statusOf(ada("PATCH", `webhooks/${id}`, { createdBy: "bob" }))).toBe(400);
    const [before] = (await service.database?.of("Webhook").findMany()) ?? [];
    expect(await statusOf(bob("POST", "webhooks/many?onConflict=id", [{ id, ...webhook(2) }]))).toBe(200);
    const [after] = (await service.database?.of("Webhook").findMany()) ?? [];
    expect([after?.url, after?.createdBy]).toEqual(["http://127.0.0.1/2", before?.createdBy]);
    expect(await statusOf(bob("POST", "webhooks", webhook()))).toBe(201);
    expect(await statusOf(ada("POST", "webhooks", webhook()))).toBe(409);
  });

  it("C112 that exceeds a limit which was lowered only prevents further ones", async () => {
    const { as, service } = await start(withLimits({ maxPerCaller: 1, maxPerTenant: 1 }));
    const ada = await as("ADA");
    await query(
      `INSERT INTO "Webhook" (id, url, events, "createdBy", "updatedAt") SELECT n::text, 'http://127.0.0.1/', '{}', '[null,"1"]', now() FROM generate_series(1, 5) AS n`,
    );
    expect(await statusOf(ada("PATCH", "webhooks/1", { active: false, description: "a" }))).toBe(200);
    expect(await statusOf(ada("PATCH", "webhooks/1", { active: true }))).toBe(200);
    expect(await statusOf(ada("DELETE", "webhooks/1"))).toBe(204);
    expect(await statusOf(ada("POST", "webhooks", webhook()))).toBe(409);
    expect(await service.database?.of("Webhook").count()).toBe(4);
  });
});

describe("C100 C112 the number of webhooks of a tenant", () => {
  it("C112 is limited for each tenant", async () => {
    await query(`INSERT INTO "Firm" VALUES (1, 'a'), (2, 'b')`);
    const tenant: ServiceInitConfig["tenant"] = {
      field: "firmId",
      of: ({ user }) => (user as { readonly firmId?: number }).firmId,
      shared: ["Firm"],
    };
    const { service } = await start(withLimits({ maxPerTenant: 2 }, { tenant }));
    const [ada, bob, cid] = [
      await callerAt(service, "ADA", { firmId: 1 }),
      await callerAt(service, "BOB", { firmId: 1 }),
      await callerAt(service, "CID", { firmId: 2 }),
    ];
    expect(await statusOf(ada("POST", "webhooks", webhook()))).toBe(201);
    expect(await statusOf(bob("POST", "webhooks", webhook()))).toBe(201);
    for (const call of [ada, bob])
      expect((await call("POST", "webhooks", webhook())).body.detail).toBe(
        "A tenant has at most 2 webhooks (webhooks.maxPerTenant). Delete one first.",
      );
    expect(await statusOf(cid("POST", "webhooks", webhook()))).toBe(201);
    expect(await statusOf(cid("POST", "webhooks", webhook()))).toBe(201);
    expect(await service.database?.of("Webhook").count({ where: { firmId: 1 } })).toBe(2);
  });
});

it("C112 the document of the API contains the 409 of limited webhooks, and that of other models does not", async () => {
  const { service } = await start(withLimits({}));
  const document = JSON.stringify(await service.openapi());
  const { paths, components } = JSON.parse(document) as Documented;
  const conflictsOf = (path: string): string => {
    const [, name = ""] = /([^/]+)$/.exec(paths[path]?.post?.responses[409].$ref ?? "") ?? [];
    return JSON.stringify(components.responses[name]);
  };
  const text = "The maximum number of rows is reached";
  for (const path of ["/api/webhooks", "/api/webhooks/many"]) expect(conflictsOf(path), path).toContain(text);
  expect(conflictsOf("/api/orders")).not.toContain(text);
});

it.each([0, 1.5, "many"])("C112 a limit of %s webhooks prevents startup", async (maxPerTenant) => {
  await expect(start(withLimits({ maxPerTenant }))).rejects.toThrow("webhooks.maxPerTenant");
});
