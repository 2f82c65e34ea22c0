export { type WebhookRules, webhookIssues } from "./delivery/check-webhook.js";
export {
  type Deliverer,
  type DelivererOptions,
  type DeliveryJob,
  type DeliveryLog,
  type DeliveryResult,
  type DeliveryRun,
  makeDeliverer,
  maxPerEndpoint,
} from "./delivery/deliverer.js";
export { type Endpoint, type Endpoints, makeEndpoints, toEndpoint } from "./delivery/endpoints.js";
export { type EventMessage, eventName, eventNames, messageOf, type RecordedChange } from "./delivery/events.js";
export { type MessageSource, makeMessageSource } from "./delivery/message-source.js";
export { rotatedSecrets } from "./delivery/rotated-secrets.js";
export { readRequests, type StoredRequest } from "./delivery/stored-bodies.js";
export { readWebhookModels, type WebhookModels } from "./delivery/webhook-models.js";
export type { WebhookRow } from "./delivery/webhook-row.js";
export { isSecret } from "./is-secret.js";
export { makeSecretCipher, type SecretCipher } from "./secret-cipher.js";
export { type Message, makeSecret, signedHeaders } from "./secrets.js";
export { type Attempt, makeSender, type Sender, type SenderOptions, type Target } from "./sender.js";
export { type AllowList, readAllowList } from "./sending/allow-list.js";
