import { isPlainObject, nearestWord } from "@servicekit/core/internal";
import { isDtoClass, isZodSchema } from "./schema.js";

/** A form that the OpenAPI document cannot show. */
export interface FormFault {
  readonly path: readonly PropertyKey[];
  /** A sentence, or `expected …`. */
  readonly message: string;
}

type Path = readonly PropertyKey[];
type Check = (value: unknown, path: Path) => Iterable<FormFault>;

/** What is wrong with one of `experimental.openapi.responses` (specification, "experimental.openapi object"). */
export function* responseFaults(response: unknown, path: Path): Iterable<FormFault> {
  if (isSchema(response)) return;
  if (!isPlainObject(response)) {
    const forms = "a schema, { content, description }, or { description, content: { <media type>: { schema } } }";
    return yield { path, message: `expected ${forms}` };
  }
  const keys = Object.keys(response);
  const isOfSchema = keys.some((key) => Object.hasOwn(schemaKeywords, key) && !Object.hasOwn(responseKeys, key));
  if (isOfSchema && response.content === undefined) yield* schemaFaults(response, path);
  else yield* objectFaults(response, path, responseKeys, isOfSchema ? {} : schemaKeywords);
}

/** What is wrong with `experimental.openapi.requestBody`. */
export function* requestBodyFaults(body: unknown, path: Path): Iterable<FormFault> {
  if (!isPlainObject(body) || !isPlainObject(body.content)) {
    yield { path, message: "expected an object with content: { <media type>: { schema } }" };
  } else yield* objectFaults(body, path, { description: text, content: mediaTypes, required: flag });
}

/** What is wrong with one of `experimental.openapi.parameters`, of a route with these parameters in its path. */
export function* parameterFaults(parameter: unknown, path: Path): Iterable<FormFault> {
  if (!isPlainObject(parameter)) {
    const message =
      "expected a parameter such as { name, in, description, schema }; schemas of a whole part go into validation";
    return yield { path, message };
  }
  if (parameter.$ref !== undefined) return yield* objectFaults(parameter, path, referenceKeys);
  yield* objectFaults(parameter, path, parameterKeys);
  if (typeof parameter.name !== "string" || parameter.name === "") {
    yield { path: [...path, "name"], message: "expected the name of the parameter" };
  }
  if (!places.includes(parameter.in as string)) yield { path: [...path, "in"], message: oneOf(places) };
  if (parameter.in === "path" && parameter.required === false) {
    yield { path: [...path, "required"], message: "A parameter of the path is always required." };
  }
  const { schema, content } = parameter;
  if (schema !== undefined && content !== undefined) {
    yield { path: [...path, "content"], message: "A parameter has a schema or content, not both." };
  }
  if (isPlainObject(content) && Object.keys(content).length !== 1) {
    yield { path: [...path, "content"], message: "expected an object with one media type" };
  }
}

const isSchema = (value: unknown): boolean => isZodSchema(value) || isDtoClass(value);

const oneOf = (words: readonly string[]): string => `expected one of ${words.join(", ")}`;

/** Unknown keys with the nearest known one, and what each known one holds. */
function* objectFaults(
  value: Readonly<Record<string, unknown>>,
  path: Path,
  known: Readonly<Record<string, Check>>,
  alsoMeant: Readonly<Record<string, unknown>> = {},
): Iterable<FormFault> {
  for (const [key, inner] of Object.entries(value)) {
    if (inner === undefined || key.startsWith("x-")) continue;
    const check = Object.hasOwn(known, key) ? known[key] : undefined;
    if (check !== undefined) yield* check(inner, [...path, key]);
    else {
      const near = nearestWord(key, [...Object.keys(known), ...Object.keys(alsoMeant)]);
      const hint = near === undefined ? `Known here: ${Object.keys(known).join(", ")}.` : `Did you mean ${near}?`;
      yield { path: [...path, key], message: `There is no such key. ${hint}` };
    }
  }
}

const anything: Check = () => [];
const holds =
  (words: string, is: (value: unknown) => boolean): Check =>
  (value, path) =>
    is(value) ? [] : [{ path, message: `expected ${words}` }];
const text = holds("a text", (value) => typeof value === "string");
const flag = holds("true or false", (value) => typeof value === "boolean");
const number = holds("a number", (value) => typeof value === "number" && Number.isFinite(value));
const count = holds("a whole number of at least 0", (value) => Number.isInteger(value) && Number(value) >= 0);
const list = holds("a list", Array.isArray);
const texts = holds(
  "a list of texts",
  (value) => Array.isArray(value) && value.every((one) => typeof one === "string"),
);
const object = holds("an object", isPlainObject);

const types = ["null", "boolean", "object", "array", "number", "string", "integer"];
const type = holds(`one of ${types.join(", ")}`, (value) => {
  const given: readonly unknown[] = Array.isArray(value) ? value : [value];
  return given.length > 0 && given.every((one) => types.includes(one as string));
});

/** A JSON Schema whose parts may be Zod schemas and classes. */
const schemaFaults: Check = function* (schema, path) {
  if (isSchema(schema) || typeof schema === "boolean") return;
  if (!isPlainObject(schema)) yield { path, message: "expected a Zod schema, a DTO class or a JSON Schema" };
  else if (path.length > 100) yield { path: path.slice(0, 10), message: "This schema contains itself; use $ref." };
  else yield* objectFaults(schema, path, schemaKeywords);
};
const schemaList: Check = function* (value, path) {
  if (!Array.isArray(value) || value.length === 0) yield { path, message: "expected a list of schemas" };
  else for (const [index, item] of value.entries()) yield* schemaFaults(item, [...path, index]);
};
const mapOf = (words: string, check: Check): Check =>
  function* (value, path) {
    if (!isPlainObject(value)) yield { path, message: `expected ${words}` };
    else for (const [key, inner] of Object.entries(value)) yield* check(inner, [...path, key]);
  };
const schemaMap = mapOf("an object of schemas", schemaFaults);

const keysOf = (check: Check, ...names: readonly string[]): Readonly<Record<string, Check>> =>
  Object.fromEntries(names.map((name) => [name, check]));

/** The keywords of JSON Schema 2020-12, and those that OpenAPI 3.1 adds. */
const schemaKeywords: Readonly<Record<string, Check>> = {
  type,
  required: texts,
  enum: list,
  examples: list,
  ...keysOf(schemaFaults, "not", "if", "then", "else", "items", "contains", "additionalProperties", "propertyNames"),
  ...keysOf(schemaFaults, "unevaluatedItems", "unevaluatedProperties", "contentSchema"),
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

const withExamples: Readonly<Record<string, Check>> = { schema: schemaFaults, example: anything, examples: object };
const mediaType: Check = function* (value, path) {
  if (!isPlainObject(value)) yield { path, message: "expected an object with schema" };
  else yield* objectFaults(value, path, { ...withExamples, encoding: object });
};
const mediaTypes: Check = function* (value, path) {
  if (!isPlainObject(value)) return yield { path, message: "expected an object of media types" };
  for (const [key, inner] of Object.entries(value)) {
    if (key.includes("/")) yield* mediaType(inner, [...path, key]);
    else yield { path: [...path, key], message: 'expected a media type such as "application/json"' };
  }
};

/** A schema, or schemas by their media types. */
const content: Check = (value, path) =>
  isPlainObject(value) && Object.keys(value).some((key) => key.includes("/"))
    ? mediaTypes(value, path)
    : schemaFaults(value, path);

const ofParameter: Readonly<Record<string, Check>> = {
  ...withExamples,
  ...keysOf(text, "description", "style"),
  ...keysOf(flag, "required", "deprecated", "explode"),
  content: mediaTypes,
};
const header: Check = function* (value, path) {
  if (!isPlainObject(value)) yield { path, message: "expected a header such as { description, schema }" };
  else yield* objectFaults(value, path, value.$ref === undefined ? ofParameter : referenceKeys);
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
