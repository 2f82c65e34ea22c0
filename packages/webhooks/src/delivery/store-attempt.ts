import type { Database } from "@servicekit/prisma";
import type { Attempt } from "../sender.js";
import type { Endpoint } from "./endpoints.js";
import type { EventMessage } from "./events.js";
import { hasBody } from "./stored-bodies.js";
import type { WebhookModels } from "./webhook-models.js";

/** The attempt of a message as it is stored. */
export interface StoredAttempt {
  /** 1 for the first attempt. */
  readonly attempt: number;
  readonly state: "delivered" | "retrying" | "failed";
}

/** Stores an attempt to deliver a message in the delivery log. */
export type StoreAttempt = (
  endpoint: Endpoint,
  message: EventMessage,
  attempt: Attempt,
  of: StoredAttempt,
) => Promise<void>;

/**
 * Creates {@link StoreAttempt}. Attempts of endpoints of the configuration are not stored. The body is stored once for each message:
 * an attempt with an empty `request` has the body of the other attempts with its event, which `readRequests` adds.
 */
export function makeStoreAttempt(database: Database, models: WebhookModels | undefined): StoreAttempt {
  return async ({ row }, message, attempt, of) => {
    if (row === undefined || models === undefined) return;
    const { time, duration, status = null, error = null, response = null } = attempt;
    const { event, type, body } = message;
    const isStored = of.attempt > 1 && (await hasBody(database, models, { webhookId: row.id, event }));
    const request = isStored ? "" : body;
    await database.of(models.delivery).create({
      data: { webhookId: row.id, event, type, ...of, time, duration, status, error, request, response },
      select: { id: true },
    });
  };
}
