import type { ExpectedValue } from "@servicekit/query-parser";
import { expectedOfClass } from "./expected-of-class.js";
import { expectedOfZod } from "./expected-of-zod.js";
import { isZodSchema, type Schema } from "./schema.js";

const made = new WeakMap<Schema, { readonly expected: ExpectedValue | undefined }>();

/**
 * What a schema expects of a value that comes as text, such as a query (contract C63); made once for each schema.
 * `undefined` where there is no schema or it leaves everything open.
 */
export function expectedOfSchema(schema: Schema | false | undefined): ExpectedValue | undefined {
  if (schema === undefined || schema === false) return undefined;
  let entry = made.get(schema);
  if (entry === undefined) {
    entry = { expected: isZodSchema(schema) ? expectedOfZod(schema) : expectedOfClass(schema) };
    made.set(schema, entry);
  }
  return entry.expected;
}
