import { randomBytes } from "node:crypto";
import { type HttpError, httpErrors, type ValidationIssue } from "@servicekit/core";
import { toJsonPointer } from "@servicekit/core/internal";
import { type RowRoute, readKey } from "@servicekit/model-router/internal";
import type { Database, Model } from "@servicekit/prisma";
import { preventStorage } from "@servicekit/router";
import type { Deliverer, DeliveryJob, SecretCipher, WebhookModels, WebhookRow } from "@servicekit/webhooks";
import type { Request } from "express";
import { webhookResponses } from "./webhook-responses.js";

/** What the routes work with. */
export interface WebhookRoutesContext {
  readonly library: typeof import("@servicekit/webhooks");
  readonly database: Database;
  readonly models: WebhookModels;
  readonly cipher: SecretCipher;
  readonly deliverer: Deliverer;
  /** Puts a message into the queue. */
  readonly send: (job: DeliveryJob) => Promise<void>;
}

/** How long the previous secret signs messages too, in milliseconds. */
const overlapMs = 86_400_000;

/** The routes of a webhook besides the operations of its model (contract C112). */
export function webhookRoutes(context: WebhookRoutesContext): readonly RowRoute[] {
  const { library, database, models, cipher, deliverer, send } = context;
  const deliveries = database.of(models.delivery);
  return [
    {
      ...{ method: "post", suffix: "/rotate-secret", name: "rotateSecret", accessOf: "updateOne" },
      response: webhookResponses.rotateSecret,
      documentation: {
        summary: "Rotate the secret of a webhook",
        description:
          "Returns the new secret, which is shown only once. For 24 hours the previous ones, at most five, sign messages too.",
      },
      async run(row, _request, response) {
        preventStorage(response);
        const { id } = row as unknown as WebhookRow;
        const previousSecret = await library.rotatedSecrets(row as unknown as WebhookRow, models.webhook, cipher);
        const secret = library.makeSecret();
        const previousSecretEndsAt = new Date(Date.now() + overlapMs);
        const data = { currentSecret: await cipher.encrypt(secret), previousSecret, previousSecretEndsAt };
        await database.of(models.webhook).updateMany({ where: { id }, data, select: { id: true } });
        return { data: { id, secret, ...(previousSecret === null ? {} : { previousSecretEndsAt }) } };
      },
    },
    {
      ...{ method: "post", suffix: "/test", name: "test", accessOf: "updateOne" },
      response: webhookResponses.test,
      documentation: {
        summary: "Send a test event to a webhook",
        description: "Sends an event `webhook.test` immediately, also to an inactive webhook, and returns the result.",
      },
      async run(row) {
        const endpoint = library.toEndpoint(row as unknown as WebhookRow);
        const type = "webhook.test";
        const timestamp = new Date().toISOString();
        const body = JSON.stringify({ type, timestamp, data: { webhookId: row.id } });
        return {
          data: await deliverer.sendNow(endpoint, { event: `test_${randomBytes(12).toString("hex")}`, type, body }),
        };
      },
    },
    {
      ...{ method: "get", suffix: "/deliveries", name: "findDeliveries", accessOf: "findOne" },
      response: webhookResponses.findDeliveries,
      documentation: {
        summary: "List the deliveries of a webhook",
        description: "Returns the attempts to deliver messages, the latest first. `before` continues after an id.",
        parameters: [
          {
            name: "limit",
            in: "query",
            description: "Page size. Default: 20.",
            schema: { type: "integer", minimum: 1, maximum: 100 },
          },
          {
            name: "before",
            in: "query",
            description: "Only deliveries before this id.",
            schema: { type: "string", pattern: "^\\d+$" },
          },
        ],
      },
      async run(row, request) {
        const { limit, before } = readPage(request, models.delivery);
        const older = before === undefined ? {} : { id: { lt: before } };
        const where = { webhookId: row.id, ...older };
        const found = await deliveries.findMany({ where, orderBy: [{ id: "desc" }], take: limit + 1 });
        const page = found.slice(0, limit) as unknown as readonly StoredDelivery[];
        const requests = await library.readRequests(database, models, page);
        const data = page.map((one, index) => ({ ...one, id: String(one.id), request: requests[index] }));
        return { data, meta: { count: data.length, limit, hasMore: found.length > limit } };
      },
    },
    {
      ...{ method: "post", suffix: "/deliveries/:deliveryId/redeliver", name: "redeliver", accessOf: "updateOne" },
      response: webhookResponses.redeliver,
      documentation: {
        summary: "Deliver a message again",
        description: "Puts the message of a delivery into the queue, with the same `webhook-id`.",
        errors: [
          { status: 404, code: "NotFound", description: "The webhook or the delivery does not exist." },
          { status: 409, code: "Conflict", description: "The webhook is not active, or the message is not stored." },
        ],
      },
      async run(row, request) {
        const key = readKey(models.delivery, String(request.params.deliveryId));
        const where = { ...key, webhookId: row.id };
        const [found] = key === undefined ? [] : await deliveries.findMany({ where, take: 1 });
        if (found === undefined) throw deliveryNotFound();
        if (row.active !== true) throw notActive();
        const attempt = found as unknown as StoredDelivery;
        const { event, type } = attempt;
        const [body = null] = await library.readRequests(database, models, [attempt]);
        if (body === null) throw notStored();
        await send({ endpoint: `id:${String(row.id)}`, event, type, body });
        return { data: { event, queued: true } };
      },
    },
  ];
}

/** The used part of a row of the delivery log. */
interface StoredDelivery extends Readonly<Record<"webhookId" | "event" | "type" | "request", string>> {
  readonly id: bigint;
}

function deliveryNotFound(): HttpError {
  const message = "No delivery of this webhook has this id.";
  return httpErrors.NotFound(message, { errors: [{ in: "params", path: "/deliveryId", code: "NotFound", message }] });
}

function notActive(): HttpError {
  const message = "The webhook is not active. Set active to true.";
  return httpErrors.Conflict(message, { errors: [{ in: "params", path: "/id", code: "Conflict", message }] });
}

function notStored(): HttpError {
  const message = "The message of this delivery is no longer stored.";
  const errors = [{ in: "params", path: "/deliveryId", code: "Conflict", message }] as const;
  return httpErrors.Conflict(message, { errors });
}

function readPage(request: Request, delivery: Model): { readonly limit: number; readonly before: unknown } {
  const query = new URLSearchParams(request.url.split("?")[1] ?? "");
  const errors: ValidationIssue[] = [];
  const reject = (name: string, code: "InvalidValue" | "Repeated" | "UnknownParameter", message: string): void =>
    void errors.push({ in: "query", path: toJsonPointer([name]), code, message });
  for (const name of new Set(query.keys()))
    if (name !== "limit" && name !== "before")
      reject(name, "UnknownParameter", `Unknown parameter ${name}; expected limit or before.`);
    else if (query.getAll(name).length > 1) reject(name, "Repeated", `${name} must appear only once.`);
  const limit = query.get("limit") ?? "20";
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > 100)
    reject("limit", "InvalidValue", "Expected 1 to 100.");
  const before = query.get("before");
  const { id } = (before === null ? undefined : readKey(delivery, before)) ?? {};
  if (before !== null && id === undefined) reject("before", "InvalidValue", "Expected the id of a delivery.");
  if (errors.length > 0) throw httpErrors.ValidationError(undefined, { errors });
  return { limit: Number(limit), before: id };
}
