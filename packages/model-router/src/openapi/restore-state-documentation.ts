import type { DocumentObject, RouteDocumentation } from "@servicekit/router";
import type { Resource } from "../resource/resource.js";
import { componentNames, reference } from "./component-names.js";
import { type DocumentationSource, operationDocumentation } from "./operation-documentation.js";
import { wordsOf } from "./words-of.js";

/** The documentation of `POST /:id/history/:changeId/restore` (contract C108). */
export function restoreStateDocumentation(resource: Resource, source: DocumentationSource): RouteDocumentation {
  const update = operationDocumentation("updateOne", resource, source);
  const { requestBody: _, moduleBody: __, ...documented } = update;
  const { model } = resource;
  const { restored, row } = componentNames(model.name);
  const { a, one } = wordsOf(resource);
  const { 200: updated, ...others } = update.responses as Readonly<Record<string, DocumentObject>>;
  const content = { "application/json": { schema: reference(restored) } };
  const created = {
    description: "The row was deleted, and is created again.",
    headers: { Location: { description: "The path of the row.", schema: { type: "string" } } },
    content,
  };
  return {
    ...documented,
    summary: `Restore a state of ${a}`,
    description: `Writes the state of the ${one} after this change, or before it was deleted, into the row: an update of the fields that differ and that the caller may read and write. A deleted row is created again if bodies can set its id.`,
    parameters: [...(update.parameters ?? []), changeId],
    responses: {
      200: { ...updated, description: "The row with its restored state.", content },
      201: created,
      ...others,
    },
    errors: [
      ...(update.errors ?? []).filter(({ code }) => code !== "RelatedRecordNotFound"),
      { status: 409, code: "ForeignKeyConstraint", description: "A row that the state references does not exist." },
      { status: 409, code: "RowDeleted", description: "The row is deleted, and cannot be created again." },
    ],
    components: {
      ...update.components,
      [restored]: {
        type: "object",
        properties: { data: reference(row), meta: reference("RestoredMeta") },
        required: ["data", "meta"],
        additionalProperties: false,
      },
      RestoredMeta: {
        type: "object",
        properties: {
          restored: { ...names, description: "The fields that were written." },
          notWritable: { ...names, description: "The fields that differ and that the caller may not write." },
          unknown: { ...names, description: "The recorded fields that the model no longer has." },
        },
        required: ["restored", "notWritable", "unknown"],
        additionalProperties: false,
      },
    },
  };
}

const names = { type: "array", items: { type: "string" } };

const changeId = {
  name: "changeId",
  in: "path",
  required: true,
  description: "The id of a change in the history of the row.",
  schema: { type: "string", pattern: "^\\d+$" },
  example: "42",
};
