import { randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";

/** Creates a secret: `whsec_` and 32 random bytes in base64. */
export const makeSecret = (): string => `whsec_${randomBytes(32).toString("base64")}`;

/** A message for an endpoint. */
export interface Message {
  /** The same for each attempt: receivers ignore messages with an id that they have processed. */
  readonly id: string;
  /** JSON. */
  readonly body: string;
}

/**
 * The headers of the Standard Webhooks.
 *
 * @param secrets all valid secrets: two of them during a rotation
 * @param time the time of this attempt: receivers reject old signatures
 */
export function signedHeaders({ id, body }: Message, secrets: readonly string[], time: Date): Record<string, string> {
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(time.getTime() / 1000)),
    "webhook-signature": secrets.map((secret) => new Webhook(secret).sign(id, time, body)).join(" "),
  };
}
