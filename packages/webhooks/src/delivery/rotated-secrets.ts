import type { Model } from "@servicekit/prisma";
import type { WebhookRow } from "./webhook-row.js";

/** The previous secrets of a webhook that still sign messages, the latest first. */
export function previousSecrets({ previousSecret, previousSecretEndsAt }: WebhookRow): readonly string[] {
  const isValid = previousSecretEndsAt !== null && new Date(previousSecretEndsAt).getTime() > Date.now();
  return isValid && previousSecret !== null ? previousSecret.split(" ") : [];
}

/** Each of them adds a signature to each message. */
const maxPrevious = 5;

/**
 * The value of `previousSecret` after a rotation: the current secret and those that still sign messages, as many as the
 * column can contain.
 */
export function rotatedSecrets(row: WebhookRow, webhook: Model): string | null {
  const field = webhook.fieldsByName.get("previousSecret");
  const length = Number((field?.kind === "scalar" ? field.nativeType?.args[0] : undefined) ?? Number.POSITIVE_INFINITY);
  const secrets = [...(row.currentSecret === null ? [] : [row.currentSecret]), ...previousSecrets(row)];
  const fits = (count: number): boolean => secrets.slice(0, count).join(" ").length <= length;
  const count = secrets.findIndex((_secret, at) => at === maxPrevious || !fits(at + 1));
  return (count === -1 ? secrets : secrets.slice(0, count)).join(" ") || null;
}
