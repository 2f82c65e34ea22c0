import type { Model } from "@servicekit/prisma";
import { isHidden, storedFields } from "@servicekit/prisma/internal";
import type { DocumentObject } from "@servicekit/router";
import { fieldDocument } from "./field-document.js";

/** The JSON Schema of a recorded row of a model: its columns in the form of a response, without hidden ones. */
export function recordedRowDocument(model: Model): DocumentObject {
  const recorded = storedFields(model).filter(
    (field) => !isHidden(field) || model.key?.fields.includes(field) === true,
  );
  return {
    type: "object",
    properties: Object.fromEntries(recorded.map((field) => [field.name, fieldDocument(field, "response")])),
    required: recorded.map(({ name }) => name),
    additionalProperties: false,
  };
}
