import { problemMediaType, statusPhrase } from "@servicekit/core/internal";
import {
  type DeclaredRoute,
  type DocumentedContent,
  type DocumentedResponse,
  type DocumentedSchema,
  type DocumentObject,
  type RouteDocumentation,
} from "@servicekit/router";
import { isDtoClass, isZodSchema } from "@servicekit/router/internal";
import { referenceTo, type SchemaCollector } from "../json-schema/schema-collector.js";
import { toJsonSchema, withSchemas } from "../json-schema/to-json-schema.js";
import { toContent } from "./content.js";

/** The successful responses of one operation, and those that its declaration documents. */
export function toResponses(
  route: DeclaredRoute,
  known: RouteDocumentation,
  operationId: string,
  collector: SchemaCollector,
): Readonly<Record<string, DocumentObject>> {
  const { experimental } = route.config;
  const declared = experimental?.openapi === false ? {} : (experimental?.openapi?.responses ?? {});
  const own = Object.entries(declared).map(([status, response]) => [
    status,
    toResponse(status, response, `${operationId}${status}`, collector),
  ]);
  const found = { ...known.responses, ...Object.fromEntries(own) };
  if (Object.keys(found).some((status) => /^[23]/.test(status))) return found;
  return { "2XX": { description: "The response of this route is not documented." }, ...found };
}

/** Reason phrases (RFC 9110, section 15) of successful responses. */
const phrases: Readonly<Record<string, string>> = {
  200: "OK",
  201: "Created",
  202: "Accepted",
  204: "No Content",
  206: "Partial Content",
  301: "Moved Permanently",
  302: "Found",
  303: "See Other",
  304: "Not Modified",
  307: "Temporary Redirect",
  308: "Permanent Redirect",
};

/** All three forms of a documented response (specification, "experimental.openapi object"). */
function toResponse(
  status: string,
  response: DocumentedResponse,
  name: string,
  collector: SchemaCollector,
): DocumentObject {
  const fallback = /^[45]\d\d$/.test(status) ? statusPhrase(Number(status)) : (phrases[status] ?? "A response.");
  if (isZodSchema(response) || isDtoClass(response)) {
    return { description: fallback, content: json(response, name, collector) };
  }
  if (!isResponse(response)) {
    const { description = fallback } = response as { readonly description?: string };
    return { description, content: json(response, name, collector) };
  }
  const { content, description = fallback, ...others } = response;
  const rest = withSchemas(others, "output", name, collector) as DocumentObject;
  if (content === undefined) {
    // An error response has the common error body (contract C3).
    return Number(status) < 400 ? { description, ...rest } : { description, ...rest, content: problem };
  }
  if (isZodSchema(content) || isDtoClass(content) || !isContent(content)) {
    return { description, ...rest, content: json(content as DocumentedSchema, name, collector) };
  }
  return { description, ...rest, content: toContent(content, "output", name, collector) };
}

interface ResponseForm {
  readonly content?: DocumentedSchema | DocumentedContent;
  readonly description?: string;
}

/** A response has content, or no key that only a JSON Schema has; startup rejects everything in between. */
function isResponse(response: object): response is ResponseForm {
  return "content" in response || Object.keys(response).every((key) => /^(description|headers|links|x-.*)$/.test(key));
}

const problem: DocumentObject = { [problemMediaType]: { schema: referenceTo("Problem") } };

const json = (schema: DocumentedSchema, name: string, collector: SchemaCollector): DocumentObject => ({
  "application/json": { schema: toJsonSchema(schema, "output", name, collector) },
});

/** Media types have a slash; the keys of a JSON Schema do not. */
function isContent(content: object): content is DocumentedContent {
  const keys = Object.keys(content);
  return keys.length > 0 && keys.every((key) => key.includes("/"));
}
