import path from "node:path";
import { type Database, makeDatabase, readModels } from "@servicekit/prisma";
import { chooseEngine } from "@servicekit/prisma/internal";
import { makePostgresAdapter } from "@servicekit/prisma/postgres";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { createPushedDatabase } from "../../../scripts/test/template-database.js";
import { PrismaClient } from "../../service/test/generated/webhooks/client/client.js";
import { models as data } from "../../service/test/generated/webhooks/models.js";
import {
  type Attempt,
  type Endpoint,
  makeDeliverer,
  makeEndpoints,
  makeSecretCipher,
  readRequests,
  readWebhookModels,
} from "../src/index.js";

const models = readModels(data);
const webhookModels = readWebhookModels(models);

let client: PrismaClient;
let database: Database;
let drop: () => Promise<void>;
beforeAll(async () => {
  const schema = path.join(import.meta.dirname, "../../service/test/fixtures/webhooks/schema.prisma");
  const created = await createPushedDatabase(inject("postgresUrl"), schema);
  drop = created.drop;
  // Only for tests that hang: a busy machine never reaches it.
  const adapter = makePostgresAdapter({ url: created.url, timeouts: { poolWaitMs: 120_000, statementMs: 120_000 } });
  client = new PrismaClient({ adapter });
  const chosen = chooseEngine({ client, adapter, models, schema: "public", engine: "auto" });
  const { connections } = adapter;
  database = makeDatabase({ client, models, schema: "public", connections, ...chosen });
});
afterAll(async () => {
  await database?.disconnect();
  await drop?.();
});
beforeEach(async () => {
  await client.webhook.deleteMany();
});

const day = 86_400_000;
const message = { event: "evt_1", type: "order.created", body: '{"data":{}}' };
const configured = { url: "https://b.example/", events: ["order.created"], secret: "a secret" };

const addWebhook = async (row: object = {}) => {
  const { id } = await client.webhook.create({
    data: { url: "https://a.example/", events: ["order.created"], currentSecret: "the secret", ...row },
  });
  return id;
};

/** A deliverer whose next attempts have these results. */
function open(...results: readonly Partial<Attempt>[]) {
  const endpoints = makeEndpoints(database, webhookModels, [configured]);
  const attempts: boolean[] = [];
  const warnings: object[] = [];
  let deactivated = 0;
  let sent = 0;
  const deliverer = makeDeliverer({
    cipher: makeSecretCipher([]),
    sender: {
      urlIssue: () => undefined,
      send: async () => ({ delivered: false, time: new Date(), duration: 12, ...results[sent++] }),
    },
    ...{ endpoints, database, models: webhookModels, deactivateAfterDays: 5 },
    log: { warn: (fields) => void warnings.push(fields) },
    onAttempt: (delivered) => void attempts.push(delivered),
    onDeactivated: () => void deactivated++,
  });
  const deliver = (id: string, attempt = 1, isLast = false) =>
    deliverer.deliver({ endpoint: `id:${id}`, ...message }, { attempt, isLast });
  return { ...{ endpoints, deliverer, deliver, attempts, warnings }, deactivated: () => deactivated };
}

const deliveries = () => client.webhookDelivery.findMany({ orderBy: { id: "asc" } });

describe("C112 the endpoints", () => {
  it("are those of the configuration and the active webhooks", async () => {
    const id = await addWebhook();
    const inactive = await addWebhook({ active: false });
    const { endpoints } = open();
    const seen = (endpoint: Endpoint | undefined) => endpoint && [endpoint.name, endpoint.url, endpoint.secrets];
    const own = [`id:${id}`, "https://a.example/", ["the secret"]];
    const fixed = ["url:https://b.example/", "https://b.example/", ["a secret"]];
    expect((await endpoints.active()).map(seen)).toEqual([fixed, own]);
    expect(seen(await endpoints.find(`id:${id}`))).toEqual(own);
    expect(seen(await endpoints.find("url:https://b.example/"))).toEqual(fixed);
    for (const name of [`id:${inactive}`, "id:none", "url:https://a.example/", id])
      expect(await endpoints.find(name), name).toBeUndefined();
  });

  it("are those of the configuration without models", async () => {
    const endpoints = makeEndpoints(database, undefined, [{ ...configured, secret: ["one", "two"] }]);
    expect(await endpoints.active()).toMatchObject([{ name: "url:https://b.example/", secrets: ["one", "two"] }]);
    expect(await endpoints.find("id:1")).toBeUndefined();
  });

  it("have the previous secret until it ends", async () => {
    const secretsOf = async (row: object) => (await open().endpoints.find(`id:${await addWebhook(row)}`))?.secrets;
    const [past, future] = [new Date(Date.now() - day), new Date(Date.now() + day)];
    expect(await secretsOf({ previousSecret: "old", previousSecretEndsAt: future })).toEqual(["the secret", "old"]);
    expect(await secretsOf({ previousSecret: "old", previousSecretEndsAt: past })).toEqual(["the secret"]);
    expect(await secretsOf({ previousSecret: "old" })).toEqual(["the secret"]);
    expect(await secretsOf({ previousSecretEndsAt: future })).toEqual(["the secret"]);
    expect(await secretsOf({ currentSecret: null })).toEqual([]);
  });
});

describe("C112 the delivery log", () => {
  it("contains each attempt with its state and result", async () => {
    const id = await addWebhook();
    const { deliver, attempts } = open(
      { error: "No response." },
      { status: 500, response: "broken" },
      { delivered: true, status: 204, response: "" },
    );
    expect(await deliver(id)).toEqual({ outcome: "retry", reason: `id:${id}: No response.` });
    expect(await deliver(id, 2, true)).toMatchObject({
      outcome: "failed",
      reason: expect.stringContaining("status 500."),
    });
    expect(await deliver(id, 3)).toEqual({ outcome: "delivered" });
    expect(attempts).toEqual([false, false, true]);
    const common = { webhookId: id, event: "evt_1", type: "order.created", duration: 12 };
    expect(await deliveries()).toMatchObject([
      { ...common, attempt: 1, state: "retrying", status: null, error: "No response.", response: null },
      { ...common, attempt: 2, state: "failed", status: 500, error: null, response: "broken" },
      { ...common, attempt: 3, state: "delivered", status: 204, error: null, response: "" },
    ]);
  });

  it("contains the body of each message once, with the first attempt that is stored", async () => {
    const [id, other] = [await addWebhook(), await addWebhook()];
    const { deliver } = open();
    for (const attempt of [2, 3, 4]) await deliver(id, attempt);
    await deliver(other, 1);
    await deliver(other, 2);
    // The message is delivered again, as another job.
    await deliver(id, 1);
    const rows = await deliveries();
    expect(rows.map(({ webhookId, attempt, request }) => [webhookId === id, attempt, request])).toEqual([
      [true, 2, message.body],
      [true, 3, ""],
      [true, 4, ""],
      [false, 1, message.body],
      [false, 2, ""],
      [true, 1, message.body],
    ]);
    if (webhookModels === undefined) throw new Error("The schema has the models.");
    const requests = async () => readRequests(database, webhookModels, await deliveries());
    expect(await requests()).toEqual(Array(6).fill(message.body));
    // The retention deletes the oldest attempts first.
    await client.webhookDelivery.deleteMany({ where: { request: { not: "" }, attempt: { in: [1, 2] } } });
    expect(await requests()).toEqual([null, null, null]);
    await deliver(id, 5);
    expect(await requests()).toEqual([message.body, message.body, null, message.body]);
  });

  it("of earlier versions has the body of each attempt", async () => {
    const webhookId = await addWebhook();
    const old = { webhookId, type: "order.created", time: new Date(), duration: 1, state: "retrying", request: "{}" };
    await client.webhookDelivery.createMany({
      data: [1, 2].map((attempt) => ({ ...old, event: message.event, attempt })),
    });
    await open().deliver(webhookId, 3);
    const rows = await deliveries();
    expect(rows.map(({ request }) => request)).toEqual(["{}", "{}", ""]);
    if (webhookModels === undefined) throw new Error("The schema has the models.");
    expect(await readRequests(database, webhookModels, rows)).toEqual(["{}", "{}", "{}"]);
  });

  it("contains messages that are sent now, with their result", async () => {
    const endpoint = async () => (await open().endpoints.find(`id:${await addWebhook()}`)) as Endpoint;
    const { deliverer } = open({ delivered: true, status: 200 }, { status: 500 });
    expect(await deliverer.sendNow(await endpoint(), message)).toMatchObject({ delivered: true, status: 200 });
    expect(await deliverer.sendNow(await endpoint(), message)).toMatchObject({ delivered: false, status: 500 });
    expect(await deliveries()).toMatchObject([
      { attempt: 1, state: "delivered" },
      { attempt: 1, state: "failed" },
    ]);
  });

  it("does not contain messages to endpoints of the configuration", async () => {
    const { deliverer } = open({ delivered: true, status: 200 });
    const job = { endpoint: "url:https://b.example/", ...message };
    expect(await deliverer.deliver(job, { attempt: 1, isLast: false })).toEqual({ outcome: "delivered" });
    expect(await deliveries()).toEqual([]);
  });
});

describe("C112 a webhook that fails", () => {
  const stateOf = (id: string) =>
    client.webhook.findUniqueOrThrow({
      where: { id },
      select: { active: true, failingSince: true, disabledReason: true },
    });
  const active = { active: true, disabledReason: null };

  it("records since when, until an attempt succeeds", async () => {
    const id = await addWebhook();
    const time = new Date("2026-01-02T03:04:05.678Z");
    const { deliver } = open({ time }, { time: new Date(time.getTime() + day) }, { delivered: true });
    await deliver(id);
    expect(await stateOf(id)).toEqual({ ...active, failingSince: time });
    await deliver(id, 2);
    expect(await stateOf(id)).toEqual({ ...active, failingSince: time });
    await deliver(id, 3);
    expect(await stateOf(id)).toEqual({ ...active, failingSince: null });
  });

  it("is deactivated when all attempts have failed for the configured days, not before", async () => {
    const since = new Date("2026-01-02T03:04:05.678Z");
    const id = await addWebhook({ failingSince: since });
    const at = (ms: number) => ({ time: new Date(since.getTime() + ms) });
    const { deliver, warnings, deactivated } = open(at(5 * day - 1), at(5 * day));
    expect(await deliver(id)).toMatchObject({ outcome: "retry" });
    expect([await stateOf(id), deactivated()]).toEqual([{ ...active, failingSince: since }, 0]);
    expect(await deliver(id, 2)).toMatchObject({ outcome: "failed" });
    const disabledReason = "All attempts have failed for 5 days.";
    expect(await stateOf(id)).toEqual({ active: false, failingSince: since, disabledReason });
    expect([warnings, deactivated()]).toEqual([[{ webhook: `id:${id}`, reason: disabledReason }], 1]);
    expect(await deliver(id, 3)).toMatchObject({ outcome: "skipped" });
  });

  it("is deactivated immediately after 410", async () => {
    const id = await addWebhook();
    const { deliver, deactivated } = open({ status: 410 });
    expect(await deliver(id)).toMatchObject({ outcome: "failed" });
    expect([await stateOf(id), deactivated()]).toEqual([
      { active: false, failingSince: null, disabledReason: "The endpoint responded with 410 Gone." },
      1,
    ]);
  });

  it("is not deactivated if it belongs to the configuration", async () => {
    const { deliverer, warnings, deactivated } = open({ status: 410 });
    const job = { endpoint: "url:https://b.example/", ...message };
    expect(await deliverer.deliver(job, { attempt: 1, isLast: false })).toMatchObject({ outcome: "failed" });
    expect([warnings, deactivated()]).toEqual([[], 0]);
  });
});
