import type { Model } from "@servicekit/prisma";
import type { SecretCipher } from "../secret-cipher.js";
import type { WebhookRow } from "./webhook-row.js";

/** The stored secrets of a webhook that sign messages: the current one, and previous ones from the latest on. */
export function validSecrets({ currentSecret, previousSecret, previousSecretEndsAt }: WebhookRow): readonly string[] {
  const isValid = previousSecretEndsAt !== null && new Date(previousSecretEndsAt).getTime() > Date.now();
  const previous = isValid && previousSecret !== null ? previousSecret.split(" ") : [];
  return currentSecret === null ? previous : [currentSecret, ...previous];
}

/** Each of them adds a signature to each message. */
const maxPrevious = 5;

/**
 * The value of `previousSecret` after a rotation: the current secret and those that still sign messages, as many as the
 * column can contain. Those that no key decrypts are omitted.
 */
export async function rotatedSecrets(row: WebhookRow, webhook: Model, cipher: SecretCipher): Promise<string | null> {
  const field = webhook.fieldsByName.get("previousSecret");
  const length = Number((field?.kind === "scalar" ? field.nativeType?.args[0] : undefined) ?? Number.POSITIVE_INFINITY);
  const known = await Promise.allSettled(validSecrets(row).map((secret) => cipher.decrypt(secret)));
  const readable = known.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  const secrets = await Promise.all(readable.map((secret) => cipher.encrypt(secret)));
  const fits = (count: number): boolean => secrets.slice(0, count).join(" ").length <= length;
  const count = secrets.findIndex((_secret, at) => at === maxPrevious || !fits(at + 1));
  return (count === -1 ? secrets : secrets.slice(0, count)).join(" ") || null;
}
