import { createHash, randomUUID } from "node:crypto";
import type { Change } from "@servicekit/changes";
import { StartupError, type StartupIssue } from "@servicekit/core";
import type { ChangeConsumer, Queues, RunningJob } from "@servicekit/jobs";
import { deletedField, findTenantModels, type RowRoute, recordedModels } from "@servicekit/model-router/internal";
import type { Database, Models } from "@servicekit/prisma";
import { deleteExpired } from "@servicekit/prisma/internal";
import type { DocumentObject } from "@servicekit/router";
import type { DeliveryJob, Endpoint, RecordedChange, WebhookModels, WebhookRules } from "@servicekit/webhooks";
import { type WebhookRateLimit, type WebhooksSettings, webhookModelName } from "@servicekit/webhooks/settings";
import type { Logger } from "pino";
import type { ServiceSettings } from "../config/settings.js";
import type { ServiceModules } from "./open-modules.js";
import type { Retention } from "./start-retention.js";
import { webhookDocuments } from "./webhook-documents.js";
import { isAllowEntry, makeWebhookSender, recordedEvents } from "./webhook-modules.js";
import { webhookRoutes } from "./webhook-routes.js";

/** The outgoing webhooks of a service. */
export interface OpenWebhooks {
  /** Turns changes into jobs that deliver messages. */
  readonly consumer: ChangeConsumer;
  /** The routes of the model `Webhook` besides its operations. */
  readonly rowRoutes: Readonly<Record<string, readonly RowRoute[]>>;
  /** The messages as path items of the OpenAPI document, by the name of their event. */
  readonly documents: Readonly<Record<string, DocumentObject>>;
  /** Deletes old rows of the delivery log; `undefined` without the models. */
  readonly retention: Retention | undefined;
}

/** What webhooks are opened with. */
export interface WebhooksContext {
  readonly settings: ServiceSettings;
  readonly models: Models;
  readonly modules: ServiceModules;
  readonly database: Database;
  readonly queues: Queues;
  /** Reads a change of the log. */
  readonly findChange: (id: bigint) => Promise<Change | undefined>;
  readonly logger: Logger;
  /** Counts attempts and deactivations. */
  readonly count: (outcome: "delivered" | "failed" | "deactivated") => void;
}

/** The name of the queue, and of the position in the change log. */
export const webhookQueue = "webhooks";

/** The delays double from 5 seconds to 12 hours: 18 retries take three days. */
const retries = { limit: 18, delaySeconds: 5, maxDelaySeconds: 12 * 3_600 };

const dayMs = 86_400_000;

/**
 * Opens the outgoing webhooks (contract C112): defines their queue, and checks the endpoints of the configuration.
 *
 * @throws {StartupError} with the issues of the models and of the block `webhooks`
 */
export async function openWebhooks(context: WebhooksContext, config: WebhooksSettings): Promise<OpenWebhooks> {
  const { settings, models, modules, database, queues, logger, count } = context;
  const library = await import("@servicekit/webhooks");
  const recorded = recordedModels(modules.models);
  const stored = library.readWebhookModels(models, config.encryptionKeys.length > 0);
  const cipher = library.makeSecretCipher(config.encryptionKeys);
  const sender = await makeWebhookSender(settings, config, logger);
  const rules = { sender, events: recordedEvents(library, modules) };
  const issues = configIssues(library, config, rules, stored);
  if (issues.length > 0) throw new StartupError(issues);

  const deleted = stored && deletedField(stored.webhook, modules.models[webhookModelName]);
  const endpoints = library.makeEndpoints(database, stored, config.endpoints, deleted?.name);
  const { isJobOf, UnrecoverableError } = await import("@servicekit/jobs");
  const deliverer = library.makeDeliverer({
    ...{ sender, endpoints, cipher, database, models: stored, log: logger },
    deactivateAfterDays: config.deactivateAfterDays,
    onAttempt: (delivered) => count(delivered ? "delivered" : "failed"),
    onDeactivated: () => count("deactivated"),
  });
  const messages = library.makeMessageSource(context.findChange);
  /** Jobs of changes refer to them; those that are sent manually, and those of earlier versions, contain the message. */
  const jobOf = async (job: RunningJob): Promise<DeliveryJob | undefined> => {
    const { changeId, target, data } = job;
    if (changeId === undefined) return data as DeliveryJob;
    const message = await messages.find(changeId, (change) => isJobOf(job, change));
    return message && { ...message, endpoint: target?.name ?? "" };
  };
  const tenantOf = tenantName(settings, models);
  queues.define({
    ...{ name: webhookQueue, ordered: true, concurrency: config.concurrency, retries },
    timeoutSeconds: Math.ceil(config.timeout / 1_000) + 60,
    targets: {
      max: library.maxPerEndpoint,
      limitOf: deliverer.limitOf,
      ownerOf: (name) => tenantOf(endpoints.lastKnown(name)),
      perOwner: Math.ceil(config.concurrency / 4),
      ofStored: (data) => (data as DeliveryJob).endpoint,
    },
    handler: async (job) => {
      const { attempt, isLastAttempt, target } = job;
      const delivery = await jobOf(job);
      if (delivery === undefined) throw new UnrecoverableError("The change is no longer in the log.");
      const { outcome, reason, retryAfterMs } = await deliverer.deliver(delivery, { attempt, isLast: isLastAttempt });
      if (retryAfterMs !== undefined) target?.pause(retryAfterMs / 1_000);
      const cost = costOf(delivery.body, config.rateLimit);
      if (cost > 0) target?.addCost(cost);
      if (outcome === "retry") throw new Error(reason);
      if (outcome === "failed") throw new UnrecoverableError(reason);
      if (outcome !== "skipped") return;
      logger.debug({ webhook: delivery.endpoint, event: delivery.event }, String(reason));
      target?.drop();
    },
  });

  const mayReceive = tenantRule(settings, models);
  let active: readonly Endpoint[] = [];
  const consumer: ChangeConsumer = {
    name: webhookQueue,
    async prepare() {
      active = await endpoints.active();
    },
    jobsOf(change) {
      if (!recorded.includes(change.model)) return [];
      const type = library.eventName(change.model, change.operation);
      return active
        .filter((endpoint) => endpoint.events.includes(type) && mayReceive(endpoint, change))
        .map(({ name: target }) => ({ queue: webhookQueue, target, key: keyOf(target, change.model, change.key) }));
    },
  };
  const send = async (data: DeliveryJob): Promise<void> => {
    const { endpoint: target, event } = data;
    await queues.send(webhookQueue, { data, target, key: keyOf(target, event), id: randomUUID() });
  };
  return {
    consumer,
    documents: webhookDocuments(models, recorded, library.eventName),
    rowRoutes:
      stored === undefined
        ? {}
        : { [webhookModelName]: webhookRoutes({ library, database, models: stored, cipher, deliverer, send }) },
    retention: stored && {
      run: (signal) => {
        const before = new Date(Date.now() - config.retentionDays * dayMs);
        return deleteExpired({ database, model: stored.delivery, field: "time", before, signal });
      },
    },
  };
}

/** The seconds that a message takes of the rate of its endpoint. */
const costOf = (body: string, { messages, bytes }: WebhookRateLimit): number =>
  Math.max(messages === undefined ? 0 : 1 / messages, bytes === undefined ? 0 : Buffer.byteLength(body) / bytes);

/** Jobs with the same key run in order. */
const keyOf = (...parts: readonly string[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("base64url");

function configIssues(
  library: typeof import("@servicekit/webhooks"),
  { endpoints, allow }: WebhooksSettings,
  rules: WebhookRules,
  stored: WebhookModels | undefined,
): StartupIssue[] {
  const issues: StartupIssue[] = [];
  if (rules.events.length === 0) {
    const message = "Webhooks require recorded models. Set changes: true in the configuration of a model.";
    issues.push({ where: "webhooks", message });
  }
  if (endpoints.length === 0 && stored === undefined) {
    const message =
      "There are no endpoints. Add webhooks.endpoints, or the model Webhook: npx service generate webhooks.";
    issues.push({ where: "webhooks", message });
  }
  for (const [index, entry] of allow.entries()) {
    if (isAllowEntry(library, entry)) continue;
    const message = `Expected a host, an address, or a network such as 10.0.0.0/8, not ${JSON.stringify(entry)}.`;
    issues.push({ where: `webhooks.allow.${index}`, message });
  }
  if (rules.events.length === 0) return issues;
  for (const [index, endpoint] of endpoints.entries()) {
    for (const { path = "", message } of library.webhookIssues(endpoint, rules))
      issues.push({ where: `webhooks.endpoints.${index}${path.replaceAll("/", ".")}`, message });
    if (endpoints.findIndex(({ url }) => url === endpoint.url) < index)
      issues.push({ where: `webhooks.endpoints.${index}.url`, message: "Another endpoint has the same URL." });
  }
  return issues;
}

/** Returns the tenant of an endpoint. */
function tenantName(
  { tenant }: ServiceSettings,
  models: Models,
): (endpoint: Endpoint | undefined) => string | undefined {
  if (tenant === undefined || !findTenantModels(models, tenant).owned.has(webhookModelName)) return () => undefined;
  return (endpoint) => {
    const value = endpoint?.row?.[tenant.field];
    return value === null || value === undefined ? undefined : String(value);
  };
}

/** A webhook of a tenant receives only the rows of this tenant (contract C100). */
function tenantRule(
  { tenant }: ServiceSettings,
  models: Models,
): (endpoint: Endpoint, change: RecordedChange) => boolean {
  if (tenant === undefined) return () => true;
  const { field } = tenant;
  const { fields, owned } = findTenantModels(models, tenant);
  if (!owned.has(webhookModelName)) return () => true;
  return ({ row }, { model, after, before }) => {
    // Those of the configuration belong to no tenant.
    if (row === undefined) return true;
    const own = row[field];
    if (own === null || own === undefined) return false;
    // A row of a model without the field is shared, or it is a tenant itself.
    if (!owned.has(model)) return !fields.has(model);
    const states = [before, after].filter((state) => state !== null);
    return (
      states.length > 0 && states.every((state) => state[field] !== undefined && String(state[field]) === String(own))
    );
  };
}
