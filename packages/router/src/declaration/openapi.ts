import { isPlainObject } from "@servicekit/core/internal";
import { z } from "zod";
import { type FormError, parameterIssues, requestBodyIssues, responseIssues } from "../validation/documented-forms.js";
import type { Schema } from "../validation/schema.js";
import type { ShapeOf } from "./option-values.js";

/** A schema of the documentation: Zod, a DTO class, or plain JSON Schema that may contain these. */
export type DocumentedSchema = Schema | Readonly<Record<string, unknown>>;

/** The full form of a documented body. */
export type DocumentedContent = Readonly<Record<string, { readonly schema: DocumentedSchema }>>;

/** A documented response: a schema, a schema with a description, or the full form. */
export type DocumentedResponse =
  | DocumentedSchema
  | { readonly content: DocumentedSchema; readonly description?: string }
  | { readonly description?: string; readonly content: DocumentedContent };

/** The API documentation of a route besides its `validation` schemas; `false` excludes the route. */
export interface OpenApiConfig {
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  /** By status code. */
  readonly responses?: Readonly<Record<string | number, DocumentedResponse>>;
  readonly requestBody?: { readonly content: DocumentedContent; readonly required?: boolean };
  /** OpenAPI parameter objects, with schemas of any kind; merged with those of `validation`. */
  readonly parameters?: readonly Readonly<Record<string, unknown>>[];
}

const reportTo =
  (issues: z.core.$ZodRawIssue[], input: unknown) =>
  (errors: Iterable<FormError>): void => {
    for (const { path, message } of errors) issues.push({ code: "custom", path: [...path], message, input });
  };

const responses = z
  .record(z.string(), z.unknown())
  .check(({ value, issues }) => {
    const report = reportTo(issues, value);
    for (const [status, response] of Object.entries(value)) {
      if (/^([1-5]\d\d|[1-5]XX|default)$/.test(status)) report(responseIssues(response, [status]));
      else report([{ path: [status], message: "This is not a status code such as 200, 4XX or default." }]);
    }
  })
  .meta({ expected: "an object keyed by status code" });

const documented: ShapeOf<OpenApiConfig> = {
  summary: z.string().optional(),
  description: z.string().optional(),
  tags: z.array(z.string()).optional(),
  responses: responses.optional(),
  requestBody: z
    .unknown()
    .check(({ value, issues }) => reportTo(issues, value)(value === undefined ? [] : requestBodyIssues(value, [])))
    .optional(),
  parameters: z
    .array(z.unknown())
    .check(({ value, issues }) => {
      const report = reportTo(issues, value);
      for (const [index, parameter] of value.entries()) report(parameterIssues(parameter, [index]));
    })
    .optional(),
};

export const openApiSchema = z.union([z.literal(false), z.strictObject(documented)]);

/** The documented response media types of a route; `undefined` without any (then it is JSON). */
export function documentedMediaTypes(config: OpenApiConfig | false | undefined): readonly string[] | undefined {
  if (config === undefined || config === false) return undefined;
  const types = Object.values(config.responses ?? {}).flatMap((response) => {
    const content = isPlainObject(response) ? response.content : undefined;
    return isPlainObject(content) ? Object.keys(content).filter((type) => type.includes("/")) : [];
  });
  return types.length === 0 ? undefined : [...new Set(types)];
}
