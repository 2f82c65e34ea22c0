import { isPlainObject } from "@servicekit/core/internal";
import { z } from "zod";
import { type FormFault, parameterFaults, requestBodyFaults, responseFaults } from "../validation/documented-forms.js";
import type { Schema } from "../validation/schema.js";
import type { ShapeOf } from "./option-values.js";

/** A schema of the documentation: Zod, a DTO class, or plain JSON Schema, whose parts may be any of these again. */
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
  /** OpenAPI parameter objects, with schemas of any kind; they complete those of `validation`. */
  readonly parameters?: readonly Readonly<Record<string, unknown>>[];
}

const tellTo =
  (issues: z.core.$ZodRawIssue[], input: unknown) =>
  (faults: Iterable<FormFault>): void => {
    for (const { path, message } of faults) issues.push({ code: "custom", path: [...path], message, input });
  };

const responses = z
  .record(z.string(), z.unknown())
  .check(({ value, issues }) => {
    const tell = tellTo(issues, value);
    for (const [status, response] of Object.entries(value)) {
      if (/^([1-5]\d\d|[1-5]XX|default)$/.test(status)) tell(responseFaults(response, [status]));
      else tell([{ path: [status], message: "This is no status code, such as 200, 4XX or default." }]);
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
    .check(({ value, issues }) => tellTo(issues, value)(value === undefined ? [] : requestBodyFaults(value, [])))
    .optional(),
  parameters: z
    .array(z.unknown())
    .check(({ value, issues }) => {
      const tell = tellTo(issues, value);
      for (const [index, parameter] of value.entries()) tell(parameterFaults(parameter, [index]));
    })
    .optional(),
};

export const openApiSchema = z.union([z.literal(false), z.strictObject(documented)]);

/** The media types that a route says it answers with; `undefined` when it names none (then it is JSON). */
export function documentedMediaTypes(config: OpenApiConfig | false | undefined): readonly string[] | undefined {
  if (config === undefined || config === false) return undefined;
  const types = Object.values(config.responses ?? {}).flatMap((response) => {
    const content = isPlainObject(response) ? response.content : undefined;
    return isPlainObject(content) ? Object.keys(content).filter((type) => type.includes("/")) : [];
  });
  return types.length === 0 ? undefined : [...new Set(types)];
}
