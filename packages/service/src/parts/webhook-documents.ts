import { recordedRowDocument } from "@servicekit/model-router/internal";
import type { Models } from "@servicekit/prisma";
import type { DocumentObject } from "@servicekit/router";

const text = { type: "string" };

const headers = [
  ["webhook-id", "The same for each attempt: ignore a message with an id that you have processed.", text],
  ["webhook-timestamp", "The time of the attempt, in seconds since 1970.", { type: "string", pattern: "^\\d+$" }],
  ["webhook-signature", "One signature `v1,<base64>` for each valid secret, separated by spaces.", text],
].map(([name, description, schema]) => ({ name, in: "header", required: true, description, schema }));

const summaries = { create: "was created", update: "was updated", delete: "was deleted" } as const;

/** The messages of the outgoing webhooks as path items of the OpenAPI document, by the name of their event (C112). */
export function webhookDocuments(models: Models, recorded: readonly string[], nameOf: NameOf): Documents {
  const documents: Record<string, DocumentObject> = {};
  for (const name of recorded) {
    const model = models.get(name);
    if (model === undefined) continue;
    const data = recordedRowDocument(model);
    for (const operation of ["create", "update", "delete"] as const) {
      const event = nameOf(name, operation);
      const state = operation === "delete" ? "before it was deleted" : "after the change";
      documents[event] = {
        post: {
          operationId: event,
          summary: `A row of ${name} ${summaries[operation]}.`,
          tags: [name],
          parameters: headers,
          requestBody: {
            required: true,
            content: {
              "application/json": {
                schema: {
                  type: "object",
                  properties: {
                    type: { type: "string", const: event },
                    timestamp: { type: "string", format: "date-time", description: "The time of the change." },
                    data: { ...data, description: `The row ${state}.` },
                  },
                  required: ["type", "timestamp", "data"],
                  additionalProperties: false,
                },
              },
            },
          },
          responses: {
            "2XX": { description: "The message was received. After any other response it is sent again." },
            410: { description: "The webhook is deactivated." },
          },
          security: [],
        },
      };
    }
  }
  return documents;
}

type NameOf = (model: string, operation: "create" | "update" | "delete") => string;
type Documents = Readonly<Record<string, DocumentObject>>;
