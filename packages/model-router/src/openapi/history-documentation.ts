import type { DocumentObject, RouteDocumentation } from "@servicekit/router";
import type { Resource } from "../resource/resource.js";
import { componentNames, reference } from "./component-names.js";
import { exampleOf } from "./field-example.js";
import { number } from "./list-parameters.js";
import { etag, ifNoneMatch, keyParameter, link, notModified } from "./operation-documentation.js";
import { operationErrors } from "./operation-errors.js";
import { stateDocument } from "./state-document.js";
import { wordsOf } from "./words-of.js";

/** The API documentation of `GET /<models>/:id/history` (contract C107). */
export function historyDocumentation(resource: Resource): RouteDocumentation {
  const { model, page } = resource;
  const { historyPage } = componentNames(model.name);
  const { a, one } = wordsOf(resource);
  return {
    summary: `List the changes of ${a}`,
    description: `Returns a page of the recorded changes of the ${one} with this id, newest first, also after it was deleted. Changes of fields and of states that the caller may not read are left out.`,
    tags: [model.name],
    parameters: [
      keyParameter(resource),
      number("page", "Page number, starting at 1.", { minimum: 1 }),
      number("limit", `Page size. Default: ${page.default}.`, { minimum: 1, maximum: page.max }),
      ifNoneMatch,
    ],
    responses: {
      200: {
        description: "A page of changes.",
        headers: { Link: link, ETag: etag },
        content: { "application/json": { schema: reference(historyPage) } },
      },
      304: notModified,
    },
    errors: operationErrors("findOne", { hasRowRule: false, takesDeleted: false }),
    components: componentsOf(resource),
  };
}

/** A change, a page of them, and the state of a row. */
function componentsOf(resource: Resource): Readonly<Record<string, DocumentObject>> {
  const { model, shown } = resource;
  const { history, historyPage, state } = componentNames(model.name);
  const fields = [...shown.findOne.fields.values()];
  const [field] = fields.filter(({ isId, isForeignKey }) => !isId && !isForeignKey);
  return {
    [state]: stateDocument(resource),
    [history]: {
      type: "object",
      properties: {
        id: { type: "string", pattern: "^\\d+$", description: "Larger for later changes." },
        time: { type: "string", format: "date-time" },
        operation: { type: "string", enum: ["create", "update", "delete"] },
        actor: { type: "string", description: "Who made the change, such as `user:7`." },
        requestId: { type: ["string", "null"] },
        changed: {
          type: "array",
          items: { type: "string" },
          description: "The fields that differ; empty without `before` or `after`.",
        },
        before: { anyOf: [reference(state), { type: "null" }] },
        after: { anyOf: [reference(state), { type: "null" }] },
      },
      required: ["id", "time", "operation", "actor", "requestId", "changed", "before", "after"],
      additionalProperties: false,
      examples: [
        {
          ...{ id: "42", time: "2026-01-31T08:30:00.000Z", operation: "create", actor: "user:7", requestId: null },
          ...{ changed: [], before: null, after: field === undefined ? {} : exampleOf(fields, model.name) },
        },
      ],
    },
    [historyPage]: {
      type: "object",
      properties: { data: { type: "array", items: reference(history) }, meta: reference("HistoryMeta") },
      required: ["data", "meta"],
      additionalProperties: false,
    },
    HistoryMeta: {
      type: "object",
      properties: {
        count: { type: "integer", minimum: 0, description: "The number of changes on this page." },
        limit: { type: "integer", minimum: 1 },
        page: { type: "integer", minimum: 1 },
        hasMore: { type: "boolean", description: "Whether there is a next page." },
      },
      required: ["count", "limit", "page", "hasMore"],
      additionalProperties: false,
    },
  };
}
