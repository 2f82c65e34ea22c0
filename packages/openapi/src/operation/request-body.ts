import {
  type BodyParserEntry,
  type DeclaredRoute,
  type DocumentObject,
  type RouteDocumentation,
  type Schema,
  type UploadsConfig,
} from "@servicekit/router";
import { isZodSchema } from "@servicekit/router/internal";
import type { SchemaCollector } from "../json-schema/schema-collector.js";
import { toJsonSchema } from "../json-schema/to-json-schema.js";
import type { ApiDocsMode } from "../settings.js";
import { toContent } from "./content.js";
import { toFormFields } from "./form-fields.js";
import { uploadProperties } from "./upload-properties.js";

const mediaTypes: Readonly<Record<BodyParserEntry["parser"], string>> = {
  json: "application/json",
  urlencoded: "application/x-www-form-urlencoded",
  raw: "application/octet-stream",
  text: "text/plain",
  multipart: "multipart/form-data",
};

/** The body of one operation: the declared documentation, otherwise its schema, parsers and uploads. */
export function toRequestBody(
  route: DeclaredRoute,
  known: RouteDocumentation,
  operationId: string,
  collector: SchemaCollector,
  mode: ApiDocsMode,
): DocumentObject | undefined {
  const { experimental, validation, bodyParser } = route.config;
  const declared = experimental?.openapi === false ? undefined : experimental?.openapi?.requestBody;
  if (declared !== undefined) {
    return { ...declared, content: toContent(declared.content, "input", `${operationId}Body`, collector) };
  }
  if (experimental?.uploads !== undefined)
    return uploadBody(
      route,
      experimental.uploads,
      withModuleBody(known, mode, operationId, collector),
      operationId,
      collector,
    );
  const ofModule = moduleBody(known, mode, operationId, collector);
  if (ofModule !== undefined) return ofModule;
  if (known.requestBody !== undefined) return known.requestBody;
  if (bodyParser === false || !validation?.body) return undefined;
  const schema = toJsonSchema(validation.body, "input", `${operationId}Body`, collector);
  const named = schema.$ref === undefined && isObject(schema) ? collector.add(`${operationId}Body`, schema) : schema;
  const types = Array.isArray(bodyParser)
    ? (bodyParser as readonly BodyParserEntry[]).map(({ parser, options }) => typeOf(options) ?? mediaTypes[parser])
    : ["application/json"];
  return { required: true, content: Object.fromEntries(types.map((type) => [type, { schema: named }])) };
}

const isObject = ({ type, properties }: DocumentObject): boolean => type === "object" && properties !== undefined;

function typeOf(options: unknown): string | undefined {
  const { type } = (options ?? {}) as { readonly type?: unknown };
  return typeof type === "string" && type.includes("/") ? type : undefined;
}

/** The schema of a user's module, if the mode documents its kind (contract C47). */
function moduleBody(
  { moduleBody: given }: RouteDocumentation,
  mode: ApiDocsMode,
  operationId: string,
  collector: SchemaCollector,
): DocumentObject | undefined {
  if (given === undefined || !isOfMode(given.schema, mode)) return undefined;
  const item = toJsonSchema(given.schema, "input", `${operationId}Body`, collector);
  const named = item.$ref === undefined && isObject(item) ? collector.add(`${operationId}Body`, item) : item;
  const schema = given.isList ? { type: "array", items: named, minItems: 1 } : named;
  return { required: true, content: { "application/json": { schema } } };
}

/** Whether a schema is of the kind that a mode documents. */
export const isOfMode = (schema: Schema, mode: ApiDocsMode): boolean =>
  mode === (isZodSchema(schema) ? "zod" : "class-validator");

/** The generated documentation, with the module's body schema in place of the model's if the mode selects it. */
function withModuleBody(
  known: RouteDocumentation,
  mode: ApiDocsMode,
  operationId: string,
  collector: SchemaCollector,
): RouteDocumentation {
  const ofModule = moduleBody(known, mode, operationId, collector);
  return ofModule === undefined ? known : { ...known, requestBody: ofModule };
}

/** A form: the files and the fields of the schema, which includes the files if they are attached to the body. */
function uploadBody(
  route: DeclaredRoute,
  uploads: UploadsConfig,
  known: RouteDocumentation,
  operationId: string,
  collector: SchemaCollector,
): DocumentObject {
  const files = uploadProperties(uploads);
  const { body } = route.config.validation ?? {};
  const documented = (
    known.requestBody?.content as Readonly<Record<string, { schema?: DocumentObject }>> | undefined
  )?.["application/json"]?.schema;
  const given = documented ?? (body ? toJsonSchema(body, "input", `${operationId}Body`, collector) : {});
  const { properties, required } = toFormFields(given, collector);
  const schema: DocumentObject = {
    type: "object",
    properties: { ...properties, ...files },
    ...(required.length === 0 ? {} : { required }),
  };
  const form = collector.add(`${operationId}Form`, schema);
  const content: Record<string, DocumentObject> = { "multipart/form-data": { schema: form } };
  if (documented !== undefined) content["application/json"] = { schema: documented };
  return { required: required.length > 0, content };
}
