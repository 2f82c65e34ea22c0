import type { DocumentObject, RouteDocumentation } from "@servicekit/router";
import type { Resource } from "../resource/resource.js";
import { componentNames, reference } from "./component-names.js";
import { responseProperties } from "./field-document.js";
import { exampleOf } from "./field-example.js";
import { filterDocuments, text } from "./list-parameters.js";
import { operationErrors } from "./operation-errors.js";
import { stateDocument } from "./state-document.js";
import { wordsOf } from "./words-of.js";

const otherParameters: ReadonlySet<string> = new Set(["fields", "lastEventId"]);

/** The API documentation of `GET /<models>/events` (contract C111). */
export function eventsDocumentation(
  resource: Resource,
  { filters }: { readonly filters: Map<string, DocumentObject> },
): RouteDocumentation {
  const { model } = resource;
  const { state, removed } = componentNames(model.name);
  const filtered = filterDocuments(resource, filters, otherParameters);
  const key = model.key?.fields ?? [];
  return {
    summary: `Follow the changes of the list of ${wordsOf(resource).one} rows`,
    description: `Returns server-sent events for the rows that the list with the same filters contains for the caller. \`created\` and \`updated\` have the row as \`${state}\`, \`removed\` has its key as \`${removed}\`: the row was deleted, or the list no longer contains it. \`ready\` is the first event: load the list after it. After \`reset\` changes may be missing: load the list again. The last \`id\`, of an event or without one, is the value of \`Last-Event-ID\` to continue after it; it is valid for ten minutes and for the same caller, filters and fields, and otherwise the first event is \`reset\`.`,
    tags: [model.name],
    parameters: [
      text("fields", "The fields of the rows, separated by commas, or the fields to exclude, each prefixed with `-`."),
      text(
        "lastEventId",
        "The same as `Last-Event-ID`, for clients that cannot set headers. The header takes precedence.",
      ),
      {
        name: "Last-Event-ID",
        in: "header",
        description: "The last id that the client has received.",
        schema: { type: "string", pattern: "^[\\w-]{1,500}$" },
      },
      ...filtered.parameters,
    ],
    responses: {
      200: {
        description: "A stream of events.",
        content: {
          "text/event-stream": {
            schema: {
              type: "string",
              description: `Events with the data \`${state}\` or \`${removed}\`.`,
              // OpenAPI 3.1 cannot describe the data of events: these are its schemas by their names.
              $defs: { created: reference(state), updated: reference(state), removed: reference(removed) },
            },
            example: `event: removed\ndata: ${JSON.stringify(exampleOf(key, model.name))}\n\nid: 3q2-7wAAAAA\n\n`,
          },
        },
      },
    },
    errors: [
      ...operationErrors("findMany", { hasRowRule: false, takesDeleted: false }),
      { status: 429, code: "TooManyRequests", description: "The caller has too many open streams." },
      { status: 503, code: "ServiceUnavailable", description: "Too many streams are open." },
    ],
    components: {
      ...filtered.components,
      [state]: stateDocument(resource),
      [removed]: {
        type: "object",
        description: "The key of a row that is no longer in the list.",
        properties: responseProperties(key),
        required: key.map(({ name }) => name),
        additionalProperties: false,
      },
    },
  };
}
