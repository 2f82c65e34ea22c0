import type { Database } from "@servicekit/prisma";
import type { WebhookModels } from "./webhook-models.js";

/** The part of a stored attempt that identifies its message. */
interface OfMessage {
  readonly webhookId: string;
  /** The header `webhook-id`. */
  readonly event: string;
}

/** Whether an attempt of a message contains its body. */
export async function hasBody(database: Database, { delivery }: WebhookModels, message: OfMessage): Promise<boolean> {
  const where = { webhookId: message.webhookId, event: message.event, request: { not: "" } };
  const rows = await database.of(delivery).findMany({ where, take: 1, select: { id: true } });
  return rows.length > 0;
}

/** A stored attempt, whose request is empty if another attempt of its message contains the body. */
export interface StoredRequest extends OfMessage {
  readonly request: string;
}

/** Returns the bodies of the requests of stored attempts; `null` if the attempt with the body was deleted. */
export async function readRequests(
  database: Database,
  { delivery }: WebhookModels,
  attempts: readonly StoredRequest[],
): Promise<readonly (string | null)[]> {
  const bodies = new Map<string, string | null>();
  const keyOf = ({ webhookId, event }: OfMessage): string => JSON.stringify([webhookId, event]);
  for (const one of attempts) {
    if (one.request !== "" || bodies.has(keyOf(one))) continue;
    const where = { webhookId: one.webhookId, event: one.event, request: { not: "" } };
    const rows = await database.of(delivery).findMany({ where, take: 1, select: { request: true } });
    const [row] = rows as unknown as readonly { readonly request: string }[];
    bodies.set(keyOf(one), row?.request ?? null);
  }
  return attempts.map((one) => (one.request === "" ? (bodies.get(keyOf(one)) ?? null) : one.request));
}
