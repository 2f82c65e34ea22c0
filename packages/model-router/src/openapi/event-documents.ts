import type { Model } from "@servicekit/prisma";
import { recordedFields } from "@servicekit/prisma/internal";
import type { DocumentObject } from "@servicekit/router";
import { responseProperties } from "./field-document.js";

/** The JSON Schema of a recorded row of a model: its columns in the form of a response, without hidden ones. */
export function recordedRowDocument(model: Model): DocumentObject {
  const recorded = recordedFields(model);
  return {
    type: "object",
    properties: responseProperties(recorded),
    required: recorded.map(({ name }) => name),
    additionalProperties: false,
  };
}
