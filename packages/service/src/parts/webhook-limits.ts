import { findTenantModels, type NewValues, type RowLimits } from "@servicekit/model-router/internal";
import type { Models } from "@servicekit/prisma";
import { callerOf, identityOf } from "@servicekit/router";
import { webhookCreatorField, webhookModelName } from "@servicekit/webhooks/settings";
import type { Request } from "express";
import type { ServiceSettings } from "../config/settings.js";

/** The limits of webhooks that are created through the API, and the values that they are counted by (contract C112). */
export interface WebhookLimits {
  readonly rowLimits: RowLimits;
  readonly newValues: NewValues<Request>;
}

/** The limits of the model `Webhook`; `undefined` without it or the block `webhooks`. */
export function webhookLimits(
  { webhooks, tenant }: Pick<ServiceSettings, "webhooks" | "tenant">,
  models: Models,
): WebhookLimits | undefined {
  if (webhooks === undefined || !models.has(webhookModelName)) return undefined;
  const { maxPerTenant, maxPerCaller } = webhooks;
  const isOwned = tenant !== undefined && findTenantModels(models, tenant).owned.has(webhookModelName);
  const names: ReadonlySet<string> = new Set([webhookCreatorField]);
  return {
    rowLimits: {
      [webhookModelName]: [
        {
          max: maxPerTenant,
          fields: isOwned ? [tenant.field] : [],
          message: `${isOwned ? "A tenant" : "The service"} has at most ${maxPerTenant} webhooks (webhooks.maxPerTenant). Delete one first.`,
        },
        {
          max: maxPerCaller,
          fields: [webhookCreatorField],
          message: `A user has at most ${maxPerCaller} webhooks (webhooks.maxPerCaller). Delete one first.`,
        },
      ],
    },
    newValues: {
      names: ({ name }) => (name === webhookModelName ? names : new Set()),
      of(request, { name }) {
        const caller = name === webhookModelName ? callerOf(request) : undefined;
        return caller === undefined ? {} : { [webhookCreatorField]: identityOf(caller) };
      },
    },
  };
}
