import type { RowRoute } from "@servicekit/model-router/internal";

type Schema = RowRoute["response"]["data"];

const text = { type: "string" };
const date = { type: "string", format: "date-time" };
const integer = { type: "integer" };
const orNull = (schema: { readonly type: string }): Schema => ({ ...schema, type: [schema.type, "null"] });

const object = (properties: Readonly<Record<string, Schema>>, optional: readonly string[] = []): Schema => ({
  type: "object",
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
});

const delivery = object({
  id: { type: "string", pattern: "^\\d+$" },
  webhookId: text,
  event: { ...text, description: "The header `webhook-id`." },
  type: { ...text, description: "The name of the event, such as `order.created`." },
  attempt: integer,
  time: date,
  duration: { ...integer, description: "Milliseconds." },
  state: { type: "string", enum: ["delivered", "retrying", "failed"] },
  status: { ...orNull(integer), description: "The status of the response." },
  error: { ...orNull(text), description: "Why there was no response." },
  request: { ...orNull(text), description: "The body of the request; null if it is no longer stored." },
  response: { ...orNull(text), description: "The beginning of the body of the response." },
});

/** The JSON Schemas of the responses of the routes of a webhook. */
export const webhookResponses = {
  rotateSecret: {
    data: object(
      {
        id: text,
        secret: { ...text, description: "Shown only once." },
        previousSecretEndsAt: { ...date, description: "Until when the previous secret signs messages too." },
      },
      ["previousSecretEndsAt"],
    ),
  },
  test: {
    data: object(
      {
        delivered: { type: "boolean" },
        status: integer,
        response: text,
        error: text,
        retryAfterMs: integer,
        duration: { type: "number", description: "Milliseconds." },
        time: date,
      },
      ["status", "response", "error", "retryAfterMs"],
    ),
  },
  findDeliveries: {
    data: { type: "array", items: delivery },
    meta: object({ count: integer, limit: integer, hasMore: { type: "boolean" } }),
  },
  redeliver: { data: object({ event: text, queued: { type: "boolean", const: true } }) },
} satisfies Readonly<Record<string, RowRoute["response"]>>;
