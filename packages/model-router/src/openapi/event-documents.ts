import type { Model, StoredField } from "@servicekit/prisma";
import { isHidden } from "@servicekit/prisma/internal";
import type { DocumentObject } from "@servicekit/router";
import { fieldDocument } from "./field-document.js";

/** The JSON Schema of a recorded row of a model: its columns in the form of a response, without hidden ones. */
export function recordedRowDocument({ fields, key }: Model): DocumentObject {
  const recorded = fields.filter(
    (field): field is StoredField =>
      (field.kind === "scalar" || field.kind === "enum") && (!isHidden(field) || key?.fields.includes(field) === true),
  );
  return {
    type: "object",
    properties: Object.fromEntries(recorded.map((field) => [field.name, fieldDocument(field, "response")])),
    required: recorded.map(({ name }) => name),
    additionalProperties: false,
  };
}
