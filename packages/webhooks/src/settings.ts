import { z } from "zod";
import { isSecret } from "./is-secret.js";

/** An endpoint of the configuration. */
export interface WebhookEndpointConfig {
  /** Identifies the endpoint: no two have the same. */
  readonly url: string;
  /** Names of events such as `order.created`. */
  readonly events: readonly string[];
  /** The secret that signs the messages: `whsec_` and base64. Two of them during a rotation. */
  readonly secret: string | readonly string[];
}

/** How much one endpoint receives. */
export interface WebhookRateLimit {
  /** Messages per second. */
  readonly messages?: number;
  /** Bytes of bodies per second. */
  readonly bytes?: number;
}

/** The block `webhooks` (contract C112): signed requests to other services after committed changes. Off without it. */
export interface WebhooksConfig {
  /** Endpoints besides those of the model `Webhook`. @default none */
  readonly endpoints?: readonly WebhookEndpointConfig[];
  /**
   * Hosts, addresses and networks that may be called although they are not public, and by `http:` in production:
   * `["hooks.internal", "10.0.0.0/8"]`. @default none
   */
  readonly allow?: readonly string[];
  /**
   * Encrypts the stored secrets of the model `Webhook`: 32 bytes in base64. With several keys, as a list or separated by
   * commas, all decrypt and the first encrypts. @default none: secrets are stored as text
   */
  readonly encryptionKey?: string | readonly string[];
  /** How long an attempt may take, in milliseconds. @default 15000 */
  readonly timeout?: number;
  /**
   * How many attempts run at the same time in one process: at most 4 of an endpoint, one of an endpoint that fails or takes longer
   * than a second, and a quarter of them of a tenant. @default 50
   */
  readonly concurrency?: number;
  /** The maximum rate of one endpoint, of all processes together. @default none */
  readonly rateLimit?: WebhookRateLimit;
  /** Days after which a webhook is deactivated, if no attempt has succeeded. @default 5 */
  readonly deactivateAfterDays?: number;
  /** Days after which deliveries are deleted. @default 30 */
  readonly retentionDays?: number;
  /** The maximum number of webhooks of one tenant; without tenants, of the service. @default 100 */
  readonly maxPerTenant?: number;
  /** The maximum number of webhooks that one user creates. @default 50 */
  readonly maxPerCaller?: number;
}

const limit = z.int().min(1).max(100_000).optional();
const days = z.int().min(1).max(3650).optional();
const secret = z.string().refine(isSecret).meta({ secret: true, expected: "whsec_ and 24 to 64 bytes in base64" });

const encryptionKey = z
  .string()
  .refine((text) => splitKeys(text).every(isEncryptionKey))
  .meta({ secret: true, expected: "32 bytes in base64; make them with: openssl rand -base64 32" });

/** The environment variables of the block `webhooks`, which are not read without it. */
export const webhookVariables = {
  WEBHOOK_ENCRYPTION_KEY: { key: "webhooks.encryptionKey", within: "webhooks" },
} as const;

/** The schema of the block `webhooks`. */
export const webhooksSchema = z.strictObject({
  endpoints: z
    .array(
      z.strictObject({
        url: z.string(),
        events: z.array(z.string()).min(1),
        secret: z.union([secret, z.array(secret).min(1).max(2)]),
      }),
    )
    .optional(),
  allow: z.array(z.string()).optional(),
  encryptionKey: z.union([encryptionKey, z.array(encryptionKey).min(1)]).optional(),
  timeout: z.int().min(100).max(60_000).optional(),
  concurrency: z.int().min(1).max(1000).optional(),
  rateLimit: z
    .strictObject({ messages: z.number().min(0.001).optional(), bytes: z.number().min(1).optional() })
    .optional(),
  deactivateAfterDays: days,
  retentionDays: days,
  maxPerTenant: limit,
  maxPerCaller: limit,
});

/** The block `webhooks` with its defaults. */
export interface WebhooksSettings extends Required<Omit<WebhooksConfig, "encryptionKey">> {
  /** The first encrypts, all decrypt. */
  readonly encryptionKeys: readonly string[];
}

/** Adds the defaults; without the block webhooks are off. */
export function readWebhooksSettings(config: WebhooksConfig | undefined): WebhooksSettings | undefined {
  if (config === undefined) return undefined;
  const { encryptionKey: keys = [], ...others } = config;
  return {
    ...{
      endpoints: [],
      allow: [],
      timeout: 15_000,
      concurrency: 50,
      rateLimit: {},
      deactivateAfterDays: 5,
      retentionDays: 30,
      maxPerTenant: 100,
      maxPerCaller: 50,
    },
    ...others,
    encryptionKeys: [keys].flat().flatMap(splitKeys),
  };
}

const splitKeys = (text: string): readonly string[] => text.split(",").map((key) => key.trim());

function isEncryptionKey(text: string): boolean {
  const bytes = Buffer.from(text, "base64");
  return bytes.length === 32 && bytes.toString("base64") === text;
}

/** The name of the model that stores webhooks. */
export const webhookModelName = "Webhook";

/** The name of the field with the caller who created a webhook. */
export const webhookCreatorField = "createdBy";

/** The name of the model that stores attempts to deliver messages. */
export const deliveryModelName = "WebhookDelivery";
