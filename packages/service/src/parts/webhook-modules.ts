import { httpErrors } from "@servicekit/core";
import type { ModelConfig } from "@servicekit/model-router";
import { recordedModels } from "@servicekit/model-router/internal";
import type { Models } from "@servicekit/prisma";
import { isStored } from "@servicekit/prisma/internal";
import { preventStorage } from "@servicekit/router";
import type { SecretCipher, Sender, WebhookRules } from "@servicekit/webhooks";
import { type WebhooksSettings, webhookModelName } from "@servicekit/webhooks/settings";
import type { Request, RequestHandler, Response } from "express";
import type { Logger } from "pino";
import type { ServiceSettings } from "../config/settings.js";
import type { ServiceModules } from "./open-modules.js";

/**
 * Adds to the model `Webhook` what its routes check and generate, and opens them to authenticated callers (contract C112).
 * Without authentication only the configuration enables them: a webhook receives all recorded rows.
 */
export async function withWebhooks(
  settings: ServiceSettings,
  modules: ServiceModules,
  models: Models | undefined,
): Promise<ServiceModules> {
  if (settings.webhooks === undefined || models?.has(webhookModelName) !== true) return modules;
  const library = await import("@servicekit/webhooks");
  const rules = {
    sender: await makeWebhookSender(settings, settings.webhooks),
    events: recordedEvents(library, modules),
  };
  const cipher = library.makeSecretCipher(settings.webhooks.encryptionKeys);
  const given = modules.models[webhookModelName];
  const isGuarded = settings.authentication?.enabled === true;
  const offered = isGuarded ? { findMany: true, findOne: true, createOne: true, updateOne: true, deleteOne: true } : {};
  const events = models.get(webhookModelName)?.fieldsByName.get("events");
  // A list that a body leaves out is empty.
  const defaults = events !== undefined && isStored(events) && events.default !== undefined ? {} : { events: [] };
  const own = {
    operations: { ...offered, ...given?.operations },
    hooks: hooks(library, rules, cipher, given, defaults),
  };
  return { ...modules, models: { ...modules.models, [webhookModelName]: { ...given, ...own } } };
}

type Library = typeof import("@servicekit/webhooks");

/** The names of the events of the recorded models. */
export const recordedEvents = (library: Library, modules: ServiceModules): readonly string[] =>
  library.eventNames(recordedModels(modules.models));

/**
 * Creates the sender of a service. Invalid entries of `webhooks.allow` are reported when the webhooks are opened.
 *
 * @param logger receives why requests failed: what the routes return contains no addresses
 */
export async function makeWebhookSender(
  { nodeEnv }: Pick<ServiceSettings, "nodeEnv">,
  { allow, timeout }: WebhooksSettings,
  logger?: Logger,
): Promise<Sender> {
  const library = await import("@servicekit/webhooks");
  return library.makeSender({
    allow: library.readAllowList(allow.filter((entry) => isAllowEntry(library, entry))),
    requireHttps: nodeEnv === "production",
    ...{ timeoutMs: timeout, userAgent: "servicekit-webhooks" },
    onError: (error, host) => logger?.info({ err: error, host }, "the request of a webhook failed"),
  });
}

/** Whether a text is a host, an address or a network. */
export function isAllowEntry({ readAllowList }: Library, entry: string): boolean {
  try {
    readAllowList([entry]);
    return true;
  } catch {
    return false;
  }
}

/** The hooks of the model, with those of its module. */
function hooks(
  library: Library,
  rules: WebhookRules,
  cipher: SecretCipher,
  given: ModelConfig | undefined,
  defaults: { readonly events?: readonly string[] },
): NonNullable<ModelConfig["hooks"]> {
  const secrets = new WeakMap<Request, string>();
  const checkWith =
    (missing: object): RequestHandler =>
    (request, _response, next) => {
      const errors = library.webhookIssues({ ...missing, ...(request.body as object) }, rules);
      if (errors.length > 0) throw httpErrors.ValidationError(undefined, { errors });
      next();
    };
  const addSecret: RequestHandler = async (request, response, next) => {
    const secret = library.makeSecret();
    secrets.set(request, secret);
    preventStorage(response);
    Object.assign(request.body as object, { currentSecret: await cipher.encrypt(secret) });
    next();
  };
  const showSecret = (request: Request, response: Response, next: () => void): void => {
    const { data } = response.locals as { data?: object };
    response.locals.data = { ...data, secret: secrets.get(request) };
    next();
  };
  const reactivate: RequestHandler = (request, _response, next) => {
    const body = request.body as { readonly active?: unknown };
    if (body.active === true) Object.assign(body, { failingSince: null, disabledReason: null });
    next();
  };
  const listed = (name: "beforeCreateOne" | "afterCreateOne" | "beforeUpdateOne"): readonly RequestHandler[] =>
    [given?.hooks?.[name] ?? []].flat() as readonly RequestHandler[];
  return {
    ...given?.hooks,
    beforeCreateOne: [...listed("beforeCreateOne"), checkWith(defaults), addSecret],
    afterCreateOne: [...listed("afterCreateOne"), showSecret as RequestHandler],
    beforeUpdateOne: [...listed("beforeUpdateOne"), checkWith({}), reactivate],
  };
}
