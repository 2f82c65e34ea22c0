import type { RouteDocumentation } from "@servicekit/router";
import { fieldsOnly } from "../resource/body/fields-only.js";
import type { Resource } from "../resource/resource.js";
import { replaceDocument } from "./body-components.js";
import { type DocumentationSource, operationDocumentation } from "./operation-documentation.js";
import { wordsOf } from "./words-of.js";

/** The documentation of `PUT /:id` (contract C99). */
export function replaceDocumentation(resource: Resource, source: DocumentationSource): RouteDocumentation {
  const create = operationDocumentation("createOne", resource, source);
  const update = operationDocumentation("updateOne", resource, source);
  const { model } = resource;
  const writable = source.writables.get(model.name);
  if (writable === undefined) throw new TypeError(`Unknown model ${model.name}.`);
  const { a, one } = wordsOf(resource);
  const isCreated = model.key?.fields.every(({ name }) => writable.fields.has(name)) === true;
  const missing = isCreated
    ? "A row that does not exist is created with this id."
    : "The database sets the id of new rows, so a row that does not exist is 404.";
  const { moduleBody } = create;
  const known = new Set(update.errors?.map(({ status, code }) => `${status} ${code}`));
  const others = isCreated ? (create.errors ?? []) : [];
  return {
    ...update,
    summary: `${isCreated ? "Create or replace" : "Replace"} ${a}`,
    description: `Sets all fields of the ${one}: those that are missing get their default, or null. ${missing}`,
    parameters: [...(update.parameters ?? []), ...(isCreated ? [ifNoneMatch] : [])],
    requestBody: {
      required: true,
      content: { "application/json": { schema: replaceDocument(fieldsOnly(writable, ""), source.writables) } },
    },
    ...(moduleBody === undefined ? {} : { moduleBody }),
    responses: { ...update.responses, ...(isCreated ? create.responses : {}) },
    errors: [...(update.errors ?? []), ...others.filter(({ status, code }) => !known.has(`${status} ${code}`))],
  };
}

const ifNoneMatch = {
  name: "If-None-Match",
  in: "header",
  description: "`*` only creates: 412 if the row exists.",
  schema: { type: "string" },
};
