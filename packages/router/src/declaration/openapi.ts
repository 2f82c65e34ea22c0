import { checkShape, isPlainObject, isString, isTextList } from "./check-shape.js";
import type { Schema } from "./validation.js";

/** A schema of the documentation: Zod, a DTO class, or plain JSON Schema. */
export type DocumentedSchema = Schema | Readonly<Record<string, unknown>>;

/** The full form of a documented body. */
export type DocumentedContent = Readonly<Record<string, { readonly schema: DocumentedSchema }>>;

/** A documented response: a schema, a schema with a description, or the full form. */
export type DocumentedResponse =
  | DocumentedSchema
  | { readonly content: DocumentedSchema; readonly description?: string }
  | { readonly description?: string; readonly content: DocumentedContent };

/** What the API documentation says of a route besides its `validation` schemas; `false` leaves the route out. */
export interface OpenApiConfig {
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  /** By status code. */
  readonly responses?: Readonly<Record<string | number, DocumentedResponse>>;
  readonly requestBody?: { readonly content: DocumentedContent; readonly required?: boolean };
  readonly parameters?: readonly Readonly<Record<string, unknown>>[];
}

const isResponses = {
  expected: "an object keyed by status code",
  test: (value: unknown): boolean =>
    isPlainObject(value) && Object.keys(value).every((status) => /^([1-5]\d\d|[1-5]XX|default)$/.test(status)),
};

/** The faults of an `experimental.openapi` value, in words. */
export function checkOpenApi(value: unknown): string[] {
  if (value === false) return [];
  return checkShape(value, {
    summary: isString,
    description: isString,
    tags: isTextList,
    responses: isResponses,
    requestBody: {
      expected: "an object with content",
      test: (body) => isPlainObject(body) && isPlainObject(body.content),
    },
    parameters: { expected: "a list", test: Array.isArray },
  });
}

/** The media types that a route says it answers with; `undefined` when it names none (then it is JSON). */
export function documentedMediaTypes(config: OpenApiConfig | false | undefined): readonly string[] | undefined {
  if (config === undefined || config === false) return undefined;
  const types = Object.values(config.responses ?? {}).flatMap((response) => {
    const content = isPlainObject(response) ? response.content : undefined;
    return isPlainObject(content) ? Object.keys(content).filter((type) => type.includes("/")) : [];
  });
  return types.length === 0 ? undefined : [...new Set(types)];
}
