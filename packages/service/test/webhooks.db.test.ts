import net from "node:net";
import { Webhook } from "standardwebhooks";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { PrismaClient } from "./generated/webhooks/client/client.js";
import { models as schema } from "./generated/webhooks/models.js";
import { callerAt, config, every, makeWebhookServices } from "./serve-webhooks.js";

const {
  init,
  create,
  closeAll,
  logged,
  databaseUrl,
  environment,
  createDatabase,
  dropDatabase,
  receiverOf,
  start,
  clear,
} = makeWebhookServices();

beforeAll(createDatabase);
afterEach(() => vi.restoreAllMocks());
afterEach(clear);
afterAll(dropDatabase);

interface DocumentedRoute {
  readonly responses: { readonly 200: { readonly content: Readonly<Record<string, { readonly schema: object }>> } };
}
interface DocumentedPaths {
  readonly paths: Readonly<Record<string, { readonly get?: DocumentedRoute; readonly post?: DocumentedRoute }>>;
}
interface Documented {
  readonly post: {
    readonly parameters: readonly { readonly name: string; readonly required?: boolean }[];
    readonly requestBody: {
      readonly required?: boolean;
      readonly content: Readonly<Record<string, { readonly schema: object }>>;
    };
  };
}

const until = (check: () => unknown) => vi.waitFor(check, { timeout: 60_000, interval: 50 });

describe("C112 a webhook", () => {
  it("receives signed messages about committed changes, without hidden fields, and none about a rollback", async () => {
    const receiver = await receiverOf();
    const { service, as } = await start();
    const admin = await as("ADMIN");
    const made = await admin("POST", "webhooks", { url: `${receiver.url}/hooks`, events: every });
    expect(made).toMatchObject({
      status: 201,
      body: { data: { secret: expect.stringMatching(/^whsec_/), active: true } },
    });
    const { id, secret } = made.body.data as { id: string; secret: string };
    const rolledBack = service.database?.transaction(async (inside) => {
      await inside.of("Order").create({ data: { title: "never" } });
      throw new Error("no");
    });
    await expect(rolledBack).rejects.toThrow("no");
    const order = (await admin("POST", "orders", { title: "one", total: "1.50" })).body.data;
    await admin("PATCH", `orders/${order.id}`, { title: "two" });
    await admin("DELETE", `orders/${order.id}`);
    await until(() => expect(receiver.received).toHaveLength(3));
    const messages = receiver.received.map(({ headers, body }) =>
      new Webhook(secret).verify(body, headers as Record<string, string>),
    );
    const row = { id: order.id, title: "one", total: order.total, firmId: null };
    expect(messages).toEqual([
      { type: "order.created", timestamp: expect.any(String), data: row },
      { type: "order.updated", timestamp: expect.any(String), data: { ...row, title: "two" } },
      { type: "order.deleted", timestamp: expect.any(String), data: { ...row, title: "two" } },
    ]);
    const { webhooks } = (await service.openapi()) as unknown as { webhooks: Record<string, Documented> };
    expect(Object.keys(webhooks)).toEqual(every);
    for (const { post } of Object.values(webhooks)) {
      expect(post.requestBody.required).toBe(true);
      expect(post.parameters.map(({ name, required }) => [name, required])).toEqual([
        ["webhook-id", true],
        ["webhook-timestamp", true],
        ["webhook-signature", true],
      ]);
    }
    for (const message of messages as readonly { readonly type: string; readonly data: object }[]) {
      const { schema } = webhooks[message.type]?.post.requestBody.content["application/json"] ?? {};
      const documented = z.fromJSONSchema(schema as never);
      expect(documented.parse(message)).toEqual(message);
      expect(documented.safeParse({ ...message, data: { ...message.data, secret: "x" } }).success).toBe(false);
    }
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(3);
    expect(JSON.stringify((await admin("GET", `webhooks/${id}`)).body)).not.toMatch(/secret/i);
    await until(async () => {
      const { body } = await admin("GET", `webhooks/${id}/deliveries?limit=2`);
      expect(body).toMatchObject({
        data: [
          { type: "order.deleted", state: "delivered", attempt: 1, status: 204, error: null },
          { type: "order.updated", state: "delivered" },
        ],
        meta: { count: 2, limit: 2, hasMore: true },
      });
    });
  });

  it("has its URL and its events checked, with the place of each issue", async () => {
    const { as } = await start();
    const admin = await as("ADMIN");
    const bad = { url: "http://169.254.169.254/", events: ["order.created", "order.create", "user.created"] };
    const { status, body } = await admin("POST", "webhooks", bad);
    expect(status).toBe(400);
    expect(body.errors).toEqual([
      expect.objectContaining({ path: "/url", message: expect.stringContaining("The host is not public") }),
      expect.objectContaining({ path: "/events/1", message: expect.stringContaining("Did you mean order.created?") }),
      expect.objectContaining({ path: "/events/2" }),
    ]);
    const made = await admin("POST", "webhooks", { url: "https://example.com/", events: every });
    const at = `webhooks/${made.body.data.id}`;
    expect((await admin("PATCH", at, { url: "http://[::ffff:10.0.0.1]/" })).status).toBe(400);
    expect((await admin("PATCH", at, { events: [] })).status).toBe(400);
    expect((await admin("POST", "webhooks", { url: "https://example.com/" })).body.errors).toEqual([
      expect.objectContaining({ path: "/events", message: expect.stringContaining("at least one event") }),
    ]);
    for (const values of [
      { currentSecret: "whsec_x" },
      { secret: "whsec_x" },
      { failingSince: null },
      { previousSecret: "x" },
    ])
      expect((await admin("PATCH", at, values)).status).toBe(400);
  });

  it("is reached only by callers with access, on each of its routes", async () => {
    const { as } = await start();
    const admin = await as("ADMIN");
    const member = await as("MEMBER");
    const { id } = (await admin("POST", "webhooks", { url: "https://example.com/", events: every })).body.data;
    const calls = [
      ["GET", "webhooks"],
      ["POST", "webhooks", { url: "https://example.com/", events: every }],
      ["GET", `webhooks/${id}/deliveries`],
      ["POST", `webhooks/${id}/test`],
      ["POST", `webhooks/${id}/rotate-secret`],
      ["POST", `webhooks/${id}/deliveries/1/redeliver`],
    ] as const;
    for (const [method, at, body] of calls) expect((await member(method, at, body)).status).toBe(403);
    for (const [method, at] of calls.slice(2)) {
      const missing = at.replace(id, "missing");
      expect((await admin(method, missing)).status).toBe(404);
    }
    expect((await admin("POST", `webhooks/${id}/deliveries/1/redeliver`)).status).toBe(404);
    expect((await admin("POST", `webhooks/${id}/deliveries/x/redeliver`)).body).toMatchObject({
      status: 404,
      errors: [{ in: "params", path: "/deliveryId", code: "NotFound" }],
    });
    for (const at of ["test", "rotate-secret", "deliveries/1/redeliver"])
      expect((await admin("POST", `webhooks/${id}/${at}?x=1`)).body.errors).toEqual([
        expect.objectContaining({ in: "query", path: "/x", code: "UnknownParameter" }),
      ]);
    expect((await admin("GET", `webhooks/${id}/deliveries?limit=1&limit=2`)).body.errors).toEqual([
      expect.objectContaining({ in: "query", path: "/limit", code: "Repeated" }),
    ]);
    const rejected = await admin("GET", `webhooks/${id}/deliveries?limit=0&before=a&x~=1`);
    expect([rejected.status, rejected.body.errors]).toEqual([
      400,
      [
        expect.objectContaining({ path: "/x~0", code: "UnknownParameter" }),
        expect.objectContaining({ path: "/limit", code: "InvalidValue" }),
        expect.objectContaining({ path: "/before", code: "InvalidValue" }),
      ],
    ]);
    expect((await admin("GET", "webhook-deliveries")).status).toBe(404);
  });

  it("signs with all secrets of the last 24 hours after rotations, and sends a test event and a message again on request", async () => {
    const receiver = await receiverOf();
    const { service, as } = await start();
    const admin = await as("ADMIN");
    const { id, secret } = (await admin("POST", "webhooks", { url: receiver.url, events: every })).body.data;
    const between = await admin("POST", `webhooks/${id}/rotate-secret`);
    const rotated = await admin("POST", `webhooks/${id}/rotate-secret`);
    expect(rotated).toMatchObject({ status: 200, body: { data: { id, previousSecretEndsAt: expect.any(String) } } });
    const tested = await admin("POST", `webhooks/${id}/test`);
    expect(tested).toMatchObject({ status: 200, body: { data: { delivered: true, status: 204 } } });
    const [sent] = receiver.received;
    if (sent === undefined) throw new Error("The receiver got no message.");
    expect(sent.headers["webhook-id"]).toMatch(/^test_[\da-f]{24}$/);
    for (const one of [secret, between.body.data.secret, rotated.body.data.secret])
      expect(new Webhook(one).verify(sent.body, sent.headers as Record<string, string>)).toMatchObject({
        type: "webhook.test",
      });
    const [delivery] = (await admin("GET", `webhooks/${id}/deliveries`)).body.data;
    const again = await admin("POST", `webhooks/${id}/deliveries/${delivery.id}/redeliver`);
    expect(again).toMatchObject({ status: 200, body: { data: { event: delivery.event, queued: true } } });
    const { paths } = (await service.openapi()) as unknown as DocumentedPaths;
    const deliveries = await admin("GET", `webhooks/${id}/deliveries`);
    for (const [path, { body }] of [
      ["rotate-secret", rotated],
      ["test", tested],
      ["deliveries", deliveries],
      ["deliveries/{deliveryId}/redeliver", again],
    ] as const) {
      const { get, post } = paths[`/api/webhooks/{id}/${path}`] ?? {};
      const { schema } = (post ?? get)?.responses[200].content["application/json"] ?? {};
      expect(z.fromJSONSchema(schema as never).parse(body)).toEqual(body);
    }
    await until(() => expect(receiver.received).toHaveLength(2));
    expect(receiver.received[1]?.headers["webhook-id"]).toBe(sent.headers["webhook-id"]);
    expect(receiver.received[1]?.body).toBe(sent.body);
    await admin("PATCH", `webhooks/${id}`, { active: false });
    expect((await admin("POST", `webhooks/${id}/deliveries/${delivery.id}/redeliver`)).status).toBe(409);
  });

  it("has a delivery log with the request of each attempt, although the body is stored once", async () => {
    const receiver = await receiverOf();
    const { service, as } = await start();
    const admin = await as("ADMIN");
    const { id } = (await admin("POST", "webhooks", { url: receiver.url, events: every })).body.data;
    const attempt = {
      webhookId: id,
      event: "evt_1",
      type: "order.created",
      time: new Date(),
      duration: 1,
      state: "retrying",
    };
    const body = '{"type":"order.created"}';
    const log = service.database?.of("WebhookDelivery");
    await log?.createMany({
      data: [
        { ...attempt, attempt: 1, request: body },
        { ...attempt, attempt: 2, request: "" },
        { ...attempt, event: "evt_0", attempt: 2, request: "" },
      ],
      select: { id: true },
    });
    const rows = (await admin("GET", `webhooks/${id}/deliveries?limit=2`)).body.data;
    expect(rows.map(({ event, request }: Record<string, unknown>) => [event, request])).toEqual([
      ["evt_0", null],
      ["evt_1", body],
    ]);
    const [deleted, second] = rows;
    const again = await admin("POST", `webhooks/${id}/deliveries/${second.id}/redeliver`);
    expect(again).toMatchObject({ status: 200, body: { data: { event: "evt_1", queued: true } } });
    await until(() => expect(receiver.received.map((one) => one.body)).toEqual([body]));
    expect(await admin("POST", `webhooks/${id}/deliveries/${deleted.id}/redeliver`)).toMatchObject({
      status: 409,
      body: { code: "Conflict", detail: "The message of this delivery is no longer stored." },
    });
  });

  it("has a delivery log without attempts that are older than retentionDays", async () => {
    const { service, as } = await start();
    const admin = await as("ADMIN");
    const { id } = (await admin("POST", "webhooks", { url: "https://example.com/", events: every })).body.data;
    const attempts = [31, 29].map((days) => ({
      ...{ webhookId: id, event: `evt_${days}`, type: "order.created", attempt: 1, duration: 1, state: "delivered" },
      ...{ time: new Date(Date.now() - days * 86_400_000), request: "{}" },
    }));
    await service.database?.of("WebhookDelivery").createMany({ data: attempts, select: { id: true } });
    const events = async () =>
      (await admin("GET", `webhooks/${id}/deliveries`)).body.data.map(({ event }: { event: string }) => event);
    expect(await events()).toEqual(["evt_29", "evt_31"]);
    // The first deletion follows a minute after the start.
    const { setTimeout: original } = globalThis;
    vi.spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void, ms?: number) =>
      original(run, ms === 60_000 ? 0 : ms)) as typeof setTimeout);
    await start();
    await until(async () => expect(await events()).toEqual(["evt_29"]));
  });
});

describe("C112 the routes of a webhook", () => {
  it("are those of one row, and run the hooks of the application too", async () => {
    const calls: string[] = [];
    const hook = (name: string) => (_request: unknown, _response: unknown, next: () => void) => {
      calls.push(name);
      next();
    };
    const hooks = {
      beforeCreateOne: [hook("beforeCreateOne")],
      afterCreateOne: hook("afterCreateOne"),
      beforeUpdateOne: hook("beforeUpdateOne"),
      beforeFindMany: hook("beforeFindMany"),
    };
    const { as } = await start({
      models: { Order: { changes: true }, Webhook: { auth: { all: ["ADMIN"] }, hooks: hooks as never } },
    });
    const admin = await as("ADMIN");
    const values = { url: "https://example.com/", events: every };
    const { id, secret } = (await admin("POST", "webhooks", values)).body.data;
    expect(secret).toMatch(/^whsec_/);
    expect((await admin("PATCH", `webhooks/${id}`, { description: "one" })).body.data).toMatchObject({
      description: "one",
    });
    expect((await admin("GET", "webhooks")).body.data).toMatchObject([{ id, description: "one" }]);
    expect(calls).toEqual(["beforeCreateOne", "afterCreateOne", "beforeUpdateOne", "beforeFindMany"]);
    for (const method of ["POST", "PATCH", "DELETE"]) expect((await admin(method, "webhooks/many")).status).toBe(405);
    expect((await admin("DELETE", `webhooks/${id}`)).status).toBe(204);
    expect((await admin("GET", `webhooks/${id}`)).status).toBe(404);
  });

  it("clear the reason of a deactivation only when the webhook is activated again", async () => {
    const { service, as } = await start();
    const admin = await as("ADMIN");
    const { id } = (await admin("POST", "webhooks", { url: "https://example.com/", events: every })).body.data;
    const reason = {
      disabledReason: "The endpoint responded with 410 Gone.",
      failingSince: "2030-01-01T00:00:00.000Z",
    };
    const data = { active: false, ...reason };
    await service.database?.of("Webhook").updateMany({ where: { id }, data, select: { id: true } });
    const changedBy = async (values: object) => (await admin("PATCH", `webhooks/${id}`, values)).body.data;
    expect(await changedBy({ description: "one" })).toMatchObject({ active: false, ...reason });
    expect(await changedBy({ active: false })).toMatchObject({ active: false, ...reason });
    const cleared = { active: true, disabledReason: null, failingSince: null };
    expect(await changedBy({ active: true })).toMatchObject(cleared);
  });

  it("rotate-secret returns no end of a previous secret if there is none", async () => {
    const { service, as } = await start();
    const admin = await as("ADMIN");
    const { id } = (await admin("POST", "webhooks", { url: "https://example.com/", events: every })).body.data;
    const data = { currentSecret: null };
    await service.database?.of("Webhook").updateMany({ where: { id }, data, select: { id: true } });
    expect((await admin("POST", `webhooks/${id}/rotate-secret`)).body).toEqual({
      data: { id, secret: expect.stringMatching(/^whsec_/) },
    });
  });

  it("deliveries lists pages, the latest first", async () => {
    const { service, as } = await start();
    const admin = await as("ADMIN");
    const { id } = (await admin("POST", "webhooks", { url: "https://example.com/", events: every })).body.data;
    const attempts = [1, 2, 3].map((attempt) => ({
      ...{ webhookId: id, event: "evt", type: "order.created", attempt, duration: 1, state: "retrying" },
      ...{ time: new Date(), request: "{}" },
    }));
    await service.database?.of("WebhookDelivery").createMany({ data: attempts, select: { id: true } });
    const page = async (query: string) => {
      const { data, meta } = (await admin("GET", `webhooks/${id}/deliveries${query}`)).body;
      return {
        ids: data.map((row: { id: string }) => row.id),
        attempts: data.map((row: { attempt: number }) => row.attempt),
        meta,
      };
    };
    const first = await page("?limit=2");
    expect(first).toMatchObject({ attempts: [3, 2], meta: { count: 2, limit: 2, hasMore: true } });
    const last = await page(`?limit=2&before=${first.ids[1]}`);
    expect(last).toMatchObject({ attempts: [1], meta: { count: 1, limit: 2, hasMore: false } });
    expect(await page("?limit=3")).toMatchObject({ attempts: [3, 2, 1], meta: { count: 3, limit: 3, hasMore: false } });
    expect(await page("")).toMatchObject({ attempts: [3, 2, 1], meta: { count: 3, limit: 20, hasMore: false } });
  });
});

describe("C100 C112 a webhook of a tenant", () => {
  const events = [...every, "firm.created"];
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

  /**
   * Starts a service with the firms 1 and 2, a webhook of each, one of no firm, and an endpoint of the configuration.
   *
   * @returns the database, and what the three webhooks have received as soon as the endpoint has received a number of messages
   */
  async function startWithTenants(shared: readonly string[]) {
    const configured = await receiverOf();
    const receivers = await Promise.all([1, 2, null].map(async (firmId) => ({ firmId, receiver: await receiverOf() })));
    const { service } = await start({
      tenant: { field: "firmId", of: ({ user }) => (user as { firmId: number }).firmId, shared },
      models: { Order: { auth: { all: true }, changes: true }, Firm: { changes: true }, Webhook: {} },
      webhooks: { allow: ["127.0.0.1"], endpoints: [{ url: configured.url, events, secret }] },
    });
    const { database } = service;
    if (database === undefined) throw new Error("There is no database.");
    const firms = [1, 2].map((id) => ({ id, name: String(id) }));
    const webhooks = receivers.map(({ firmId, receiver: { url } }) => ({ url, events, currentSecret: secret, firmId }));
    // In one transaction, so that the webhooks exist when the changes of the firms are read.
    await database.transaction(async (inside) => {
      await inside.of("Firm").createMany({ data: firms, select: { id: true } });
      await inside.of("Webhook").createMany({ data: webhooks, select: { id: true } });
    });
    const receivedWith = async (count: number) => {
      await until(() => expect(configured.received).toHaveLength(count));
      const idle = { queued: 0, active: 0, retrying: 0, failed: 0 };
      await until(async () => expect((await service.jobQueues?.counts())?.[0]).toMatchObject(idle));
      return receivers.map(({ receiver }) =>
        receiver.received
          .map(({ body }) => JSON.parse(body) as { type: string; data: { title?: string; name?: string } })
          .map(({ type, data: { title, name } }) => `${type} ${title ?? name}`)
          .sort(),
      );
    };
    return { database, receivedWith };
  }

  it("receives the changes of rows that belonged to its tenant before and after them", async () => {
    const { database, receivedWith } = await startWithTenants([]);
    const orders = database.of("Order");
    const create = async (title: string, firmId: number | null) =>
      (await orders.create({ data: { title, firmId }, select: { id: true } })).id;
    const id = await create("a", 1);
    await create("b", 2);
    await create("c", null);
    for (const data of [{ title: "a2" }, { title: "a3", firmId: 2 }, { title: "a4" }])
      await orders.updateMany({ where: { id }, data, select: { id: true } });
    await orders.deleteMany({ where: { id } });
    expect(await receivedWith(9)).toEqual([
      ["order.created a", "order.updated a2"],
      ["order.created b", "order.deleted a4", "order.updated a4"],
      [],
    ]);
  });

  it("receives the changes of shared rows", async () => {
    const { receivedWith } = await startWithTenants(["Firm"]);
    const created = ["firm.created 1", "firm.created 2"];
    expect(await receivedWith(2)).toEqual([created, created, []]);
  });
});

describe("C112 secrets that are encrypted", () => {
  const [old, key] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString("base64"));
  const withKey = (encryptionKey: string | readonly string[] = []) =>
    start({ webhooks: { allow: ["127.0.0.1"], ...(encryptionKey.length === 0 ? {} : { encryptionKey }) } });
  const jwe = /^eyJ[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+$/;

  it("are those of new and of rotated webhooks; the others stay readable", async () => {
    const receiver = await receiverOf();
    const { service, as } = await withKey();
    const admin = await as("ADMIN");
    const values = { url: receiver.url, events: ["order.created"] };
    const plain = (await admin("POST", "webhooks", values)).body.data;
    await service.close();
    const { service: encrypting } = await withKey([String(key), String(old)]);
    const later = await callerAt(encrypting, "OTHER", { role: "ADMIN" });
    const made = (await later("POST", "webhooks", values)).body.data;
    const stored = async (id: string) =>
      (await encrypting.database?.of("Webhook").findUnique({ where: { id } })) as unknown as Record<string, string>;
    expect((await stored(plain.id)).currentSecret).toBe(plain.secret);
    expect((await stored(made.id)).currentSecret).toMatch(jwe);
    const verified = async (id: string, ...secrets: readonly string[]) => {
      expect((await later("POST", `webhooks/${id}/test`)).body.data).toMatchObject({ delivered: true });
      const { body, headers } = receiver.received.at(-1) ?? { body: "", headers: {} };
      for (const secret of secrets) new Webhook(secret).verify(body, headers as Record<string, string>);
    };
    await verified(plain.id, plain.secret);
    await verified(made.id, made.secret);
    const rotated = (await later("POST", `webhooks/${plain.id}/rotate-secret`)).body.data;
    await verified(plain.id, plain.secret, rotated.secret);
    const { currentSecret, previousSecret } = await stored(plain.id);
    for (const secret of [currentSecret, previousSecret]) expect(secret).toMatch(jwe);
  });

  it("are in no response that is stored for an Idempotency-Key, with and without encryption", async () => {
    for (const encryptionKey of [undefined, String(key)]) {
      const { service, as } = await withKey(encryptionKey);
      const admin = await as("ADMIN");
      const stored = () => service.database?.of("IdempotencyKey").findMany({ select: { response: true } });
      const values = { url: "https://example.com/", events: ["order.created"] };
      const made = await admin("POST", "webhooks", values, { "idempotency-key": "make" });
      const { id, secret } = made.body.data;
      const rotate = () => admin("POST", `webhooks/${id}/rotate-secret`, undefined, { "idempotency-key": "rotate" });
      const rotated = await rotate();
      for (const { status, body, headers } of [made, rotated]) {
        expect([200, 201]).toContain(status);
        expect(body.data.secret).toMatch(/^whsec_/);
        expect(headers.get("cache-control")).toBe("no-store");
      }
      expect(await stored()).toHaveLength(2);
      expect(JSON.stringify(await stored())).not.toMatch(/whsec_|currentSecret/);
      const again = await admin("POST", "webhooks", values, { "idempotency-key": "make" });
      expect([again.status, again.body.code]).toEqual([409, "ResponseNotStored"]);
      expect(again.headers.get("location")).toBe(`/api/webhooks/${id}`);
      expect(await rotate()).toMatchObject({ status: 409, body: { code: "ResponseNotStored" } });
      expect(await service.database?.of("Webhook").findMany()).toHaveLength(1);
      expect(rotated.body.data.secret).not.toBe(secret);
      await service.close();
      await clear();
    }
  });

  it.each(["short", Buffer.alloc(31).toString("base64"), `${Buffer.alloc(32).toString("base64")},x`])(
    "prevent startup with an invalid key, which is not printed (%s)",
    async (encryptionKey) => {
      const { environment: variables } = environment();
      for (const [given, around, where] of [
        [{ encryptionKey }, variables, "webhooks.encryptionKey"],
        [{}, { ...variables, WEBHOOK_ENCRYPTION_KEY: encryptionKey }, "webhooks.encryptionKey"],
      ] as const) {
        const failed = await create(config({ webhooks: given }), { environment: around }).catch(
          (error: unknown) => error,
        );
        expect(String(failed)).toMatch(new RegExp(`${where}.*32 bytes in base64`));
        expect(String(failed)).not.toContain(encryptionKey);
      }
    },
  );
});

describe("C112 access", () => {
  it("opens no routes of webhooks without authentication", async () => {
    const { authentication: _none, ...rest } = config({ models: { Order: { changes: true } } });
    const { url } = await init(rest, environment());
    for (const [method, at] of [
      ["GET", ""],
      ["POST", ""],
      ["GET", "/1/deliveries"],
      ["POST", "/1/rotate-secret"],
    ])
      expect((await fetch(`${url}/api/webhooks${at}`, { method: String(method) })).status).toBe(404);
    expect((await fetch(`${url}/api/orders`)).status).toBe(200);
  });

  it("opens no routes of webhooks without the block webhooks, with and without authentication", async () => {
    const { authentication: _old, webhooks: _none, ...rest } = config({ models: { Order: {}, Webhook: {} } });
    const authentication = { mode: "static", enabled: false } as const;
    for (const given of [{}, { authentication }]) {
      const { url } = await init({ ...rest, ...given }, environment());
      for (const at of ["webhooks", "webhook-deliveries"])
        for (const [method, path] of [
          ["GET", at],
          ["GET", `${at}/1`],
          ["POST", at],
          ["DELETE", `${at}/1`],
        ] as const)
          expect([method, path, (await fetch(`${url}/api/${path}`, { method })).status]).toEqual([method, path, 404]);
      expect((await fetch(`${url}/api/orders`)).status).toBe(200);
      expect((await fetch(`${url}/api/firms?include=webhooks`)).status).toBe(400);
    }
  });
});

it("C112 starts without a database, and sends webhooks when it is available", async () => {
  const receiver = await receiverOf();
  const { hostname, port } = new URL(databaseUrl());
  const gate = net.createServer((socket) => {
    const target = net.connect(Number(port), hostname);
    for (const one of [socket, target]) one.on("error", () => undefined);
    socket.pipe(target).pipe(socket);
  });
  await new Promise<void>((resolve) => gate.listen(0, "127.0.0.1", resolve));
  const { port: gatePort } = gate.address() as net.AddressInfo;
  await new Promise((resolve) => gate.close(resolve));
  const url = new URL(databaseUrl());
  Object.assign(url, { hostname: "127.0.0.1", port: String(gatePort) });
  const endpoints = [
    { url: receiver.url, events: ["order.created"], secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" },
  ];
  const service = await init(config({ webhooks: { allow: ["127.0.0.1"], endpoints } }), {
    environment: { ...environment().environment, DATABASE_URL: url.href },
  });
  expect(logged()).toContainEqual(
    expect.objectContaining({ msg: "background jobs could not be started; this is repeated" }),
  );
  await new Promise<void>((resolve) => gate.listen(gatePort, "127.0.0.1", resolve));
  await until(() => service.database?.of("Order").create({ data: { title: "one" } }));
  await until(() => expect(receiver.received.length).toBeGreaterThan(0));
  await closeAll();
  gate.close();
});

describe("C112 endpoints of the configuration", () => {
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

  it("receive messages", async () => {
    const receiver = await receiverOf();
    const endpoints = [{ url: receiver.url, events: ["order.created"], secret }];
    const { service } = await start({ webhooks: { allow: ["127.0.0.1"], endpoints } });
    await service.database?.of("Order").create({ data: { title: "one", secret: "never shown" } });
    await until(() => expect(receiver.received).toHaveLength(1));
    const [{ body, headers } = { body: "", headers: {} }] = receiver.received;
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({
      data: { title: "one" },
    });
    expect(body).not.toContain("never shown");
  });

  it("receive messages of a service without the model Webhook, which has no routes of webhooks", async () => {
    const receiver = await receiverOf();
    const isOther = ({ name, type = name }: { name: string; type?: string }) => !type.startsWith("Webhook");
    const others = schema.models.filter(isOther).map((model) => ({
      ...model,
      fields: (model.fields as readonly { name: string; type: string }[]).filter(isOther),
    }));
    const endpoints = [{ url: receiver.url, events: ["order.created"], secret }];
    const models = { Order: { changes: true }, Firm: {} };
    const { url, database } = await init(
      {
        ...config({ models, webhooks: { allow: ["127.0.0.1"], endpoints } }),
        database: {
          models: { ...schema, models: others } as never,
          client: ({ adapter }) => new PrismaClient({ adapter: adapter as never }),
        },
      },
      environment(),
    );
    await database?.of("Order").create({ data: { title: "one" } });
    await until(() => expect(receiver.received).toHaveLength(1));
    expect((await fetch(`${url}/api/webhooks`)).status).toBe(404);
  });

  it("prevent startup with the place of each issue", async () => {
    const endpoints = [
      { url: "https://10.0.0.1/", events: ["order.created", "orders.created"], secret },
      { url: "https://example.com/", events: ["order.created"], secret },
      { url: "https://example.com/", events: ["order.created"], secret },
    ];
    const failing = create(config({ webhooks: { endpoints, allow: ["10.0.0.0/99"] } }), environment());
    await expect(failing).rejects.toMatchObject({
      issues: [
        { where: "webhooks.allow.0" },
        { where: "webhooks.endpoints.0.url" },
        { where: "webhooks.endpoints.0.events.1" },
        { where: "webhooks.endpoints.2.url", message: "Another endpoint has the same URL." },
      ],
    });
    await expect(create(config({ models: { Order: { auth: { all: true } } } }), environment())).rejects.toThrow(
      "Webhooks require recorded models",
    );
  });
});
