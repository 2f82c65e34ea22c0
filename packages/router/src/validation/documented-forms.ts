import { isPlainObject, nearestWord } from "@servicekit/core/internal";
import { isDtoClass, isZodSchema } from "./schema.js";

/** A form that the OpenAPI document cannot represent. */
export interface FormError {
  readonly path: readonly PropertyKey[];
  /** A sentence, or `expected …`. */
  readonly message: string;
}

type Path = readonly PropertyKey[];
type Check = (value: unknown, path: Path) => Iterable<FormError>;

/** The issues of one of `experimental.openapi.responses` (specification, "experimental.openapi object"). */
export function* responseIssues(response: unknown, path: Path): Iterable<FormError> {
  if (isSchema(response)) return;
  if (!isPlainObject(response)) {
    const forms = "a schema, { content, description }, or { description, content: { <media type>: { schema } } }";
    return yield { path, message: `expected ${forms}` };
  }
  const keys = Object.keys(response);
  const isOfSchema = keys.some((key) => Object.hasOwn(schemaKeywords, key) && !Object.hasOwn(responseKeys, key));
  if (isOfSchema && response.content === undefined) yield* schemaIssues(response, path);
  else yield* objectIssues(response, path, responseKeys, isOfSchema ? {} : schemaKeywords);
}

/** The issues of `experimental.openapi.requestBody`. */
export function* requestBodyIssues(body: unknown, path: Path): Iterable<FormError> {
  if (!isPlainObject(body) || !isPlainObject(body.content)) {
    yield { path, message: "expected an object with content: { <media type>: { schema } }" };
  } else yield* objectIssues(body, path, { description: text, content: mediaTypes, required: flag });
}

/** The issues of one of `experimental.openapi.parameters`, for a route with these path parameters. */
export function* parameterIssues(parameter: unknown, path: Path): Iterable<FormError> {
  if (!isPlainObject(parameter)) {
    const message =
      "expected a parameter such as { name, in, description, schema }; a schema of the complete query, path or body belongs in validation";
    return yield { path, message };
  }
  if (parameter.$ref !== undefined) return yield* objectIssues(parameter, path, referenceKeys);
  yield* objectIssues(parameter, path, parameterKeys);
  if (typeof parameter.name !== "string" || parameter.name === "") {
    yield { path: [...path, "name"], message: "expected the name of the parameter" };
  }
  if (!places.includes(parameter.in as string)) yield { path: [...path, "in"], message: oneOf(places) };
  if (parameter.in === "path" && parameter.required === false) {
    yield { path: [...path, "required"], message: "A path parameter is always required." };
  }
  const { schema, content } = parameter;
  if (schema !== undefined && content !== undefined) {
    yield { path: [...path, "content"], message: "A parameter has either a schema or content, not both." };
  }
  if (isPlainObject(content) && Object.keys(content).length !== 1) {
    yield { path: [...path, "content"], message: "expected an object with one media type" };
  }
}

const isSchema = (value: unknown): boolean => isZodSchema(value) || isDtoClass(value);

const oneOf = (words: readonly string[]): string => `expected one of ${words.join(", ")}`;

/** Unknown keys with the nearest known one, and the issues of each known one. */
function* objectIssues(
  value: Readonly<Record<string, unknown>>,
  path: Path,
  known: Readonly<Record<string, Check>>,
  alsoMeant: Readonly<Record<string, unknown>> = {},
): Iterable<FormError> {
  for (const [key, inner] of Object.entries(value)) {
    if (inner === undefined || key.startsWith("x-")) continue;
    const check = Object.hasOwn(known, key) ? known[key] : undefined;
    if (check !== undefined) yield* check(inner, [...path, key]);
    else {
      const near = nearestWord(key, [...Object.keys(known), ...Object.keys(alsoMeant)]);
      const hint =
        near === undefined ? `; expected one of: ${Object.keys(known).join(", ")}.` : `. Did you mean ${near}?`;
      yield { path: [...path, key], message: `Unknown key${hint}` };
    }
  }
}

const anything: Check = () => [];
const checkThat =
  (words: string, is: (value: unknown) => boolean): Check =>
  (value, path) =>
    is(value) ? [] : [{ path, message: `expected ${words}` }];
const text = checkThat("a text", (value) => typeof value === "string");
const flag = checkThat("true or false", (value) => typeof value === "boolean");
const number = checkThat("a number", (value) => typeof value === "number" && Number.isFinite(value));
const count = checkThat("an integer of at least 0", (value) => Number.isInteger(value) && Number(value) >= 0);
const list = checkThat("a list", Array.isArray);
const texts = checkThat(
  "a list of strings",
  (value) => Array.isArray(value) && value.every((one) => typeof one === "string"),
);
const object = checkThat("an object", isPlainObject);

const types = ["null", "boolean", "object", "array", "number", "string", "integer"];
const type = checkThat(`one of ${types.join(", ")}`, (value) => {
  const given: readonly unknown[] = Array.isArray(value) ? value : [value];
  return given.length > 0 && given.every((one) => types.includes(one as string));
});

/** A JSON Schema that may contain Zod schemas and classes. */
const schemaIssues: Check = function* (schema, path) {
  if (isSchema(schema) || typeof schema === "boolean") return;
  if (!isPlainObject(schema)) yield { path, message: "expected a Zod schema, a DTO class or a JSON Schema" };
  else if (path.length > 100) yield { path: path.slice(0, 10), message: "This schema contains itself. Use $ref." };
  else yield* objectIssues(schema, path, schemaKeywords);
};
const schemaList: Check = function* (value, path) {
  if (!Array.isArray(value) || value.length === 0) yield { path, message: "expected a list of schemas" };
  else for (const [index, item] of value.entries()) yield* schemaIssues(item, [...path, index]);
};
const mapOf = (words: string, check: Check): Check =>
  function* (value, path) {
    if (!isPlainObject(value)) yield { path, message: `expected ${words}` };
    else for (const [key, inner] of Object.entries(value)) yield* check(inner, [...path, key]);
  };
const schemaMap = mapOf("an object of schemas", schemaIssues);

const keysOf = (check: Check, ...names: readonly string[]): Readonly<Record<string, Check>> =>
  Object.fromEntries(names.map((name) => [name, check]));

/** The keywords of JSON Schema 2020-12, and those that OpenAPI 3.1 adds. */
const schemaKeywords: Readonly<Record<string, Check>> = {
  type,
  required: texts,
  enum: list,
  examples: list,
  ...keysOf(schemaIssues, "not", "if", "then", "else", "items", "contains", "additionalProperties", "propertyNames"),
  ...keysOf(schemaIssues, "unevaluatedItems", "unevaluatedProperties", "contentSchema"),
  ...keysOf(schemaList, "allOf", "anyOf", "oneOf", "prefixItems"),
  ...keysOf(schemaMap, "properties", "patternProperties", "dependentSchemas", "$defs"),
  ...keysOf(text, "$id", "$schema", "$ref", "$anchor", "$dynamicRef", "$dynamicAnchor", "$comment"),
  ...keysOf(text, "title", "description", "format", "pattern", "contentEncoding", "contentMediaType"),
  ...keysOf(flag, "uniqueItems", "deprecated", "readOnly", "writeOnly"),
  ...keysOf(number, "multipleOf", "maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum"),
  ...keysOf(count, "maxLength", "minLength", "maxItems", "minItems", "maxContains", "minContains"),
  ...keysOf(count, "maxProperties", "minProperties"),
  ...keysOf(anything, "const", "default", "example"),
  ...keysOf(object, "dependentRequired", "discriminator", "xml", "externalDocs", "$vocabulary"),
};

const withExamples: Readonly<Record<string, Check>> = { schema: schemaIssues, example: anything, examples: object };
const mediaType: Check = function* (value, path) {
  if (!isPlainObject(value)) yield { path, message: "expected an object with schema" };
  else yield* objectIssues(value, path, { ...withExamples, encoding: object });
};
const mediaTypes: Check = function* (value, path) {
  if (!isPlainObject(value)) return yield { path, message: "expected an object of media types" };
  for (const [key, inner] of Object.entries(value)) {
    if (key.includes("/")) yield* mediaType(inner, [...path, key]);
    else yield { path: [...path, key], message: 'expected a media type such as "application/json"' };
  }
};

/** A schema, or schemas by media type. */
const content: Check = (value, path) =>
  isPlainObject(value) && Object.keys(value).some((key) => key.includes("/"))
    ? mediaTypes(value, path)
    : schemaIssues(value, path);

const ofParameter: Readonly<Record<string, Check>> = {
  ...withExamples,
  ...keysOf(text, "description", "style"),
  ...keysOf(flag, "required", "deprecated", "explode"),
  content: mediaTypes,
};
const header: Check = function* (value, path) {
  if (!isPlainObject(value)) yield { path, message: "expected a header such as { description, schema }" };
  else yield* objectIssues(value, path, value.$ref === undefined ? ofParameter : referenceKeys);
};
const referenceKeys: Readonly<Record<string, Check>> = keysOf(text, "$ref", "summary", "description");
const responseKeys: Readonly<Record<string, Check>> = {
  description: text,
  content,
  headers: mapOf("an object of headers", header),
  links: object,
};
const places = ["query", "header", "path", "cookie"];
const parameterKeys: Readonly<Record<string, Check>> = {
  ...ofParameter,
  ...keysOf(anything, "name", "in"),
  ...keysOf(flag, "allowEmptyValue", "allowReserved"),
};
