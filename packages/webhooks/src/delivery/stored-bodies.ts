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

/** The attempt of a message with the body of its request; `null` if the attempt with the body was deleted. */
export type WithRequest<Attempt> = Omit<Attempt, "request"> & { readonly request: string | null };

/** Returns stored attempts with the bodies of their requests, which are stored with one attempt of each message. */
export async function readRequests<Attempt extends OfMessage & { readonly request: string }>(
  database: Database,
  { delivery }: WebhookModels,
  attempts: readonly Attempt[],
): Promise<readonly WithRequest<Attempt>[]> {
  const missing = attempts.filter(({ request }) => request === "");
  const bodies = new Map<string, string>();
  const keyOf = ({ webhookId, event }: OfMessage): string => JSON.stringify([webhookId, event]);
  for (const one of missing) {
    if (bodies.has(keyOf(one))) continue;
    const where = { webhookId: one.webhookId, event: one.event, request: { not: "" } };
    const rows = await database.of(delivery).findMany({ where, take: 1, select: { request: true } });
    const [row] = rows as unknown as readonly { readonly request: string }[];
    if (row !== undefined) bodies.set(keyOf(one), row.request);
  }
  return attempts.map((one) => ({
    ...one,
    request: one.request === "" ? (bodies.get(keyOf(one)) ?? null) : one.request,
  }));
}
