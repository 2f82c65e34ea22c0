import type { ExpectedValue } from "@servicekit/query-parser";
import { expectedOfClass } from "./expected-of-class.js";
import { expectedOfZod } from "./expected-of-zod.js";
import { isZodSchema, type Schema } from "./schema.js";

const made = new WeakMap<Schema, { readonly expected: ExpectedValue | undefined }>();

/**
 * The expected type of a text value by a schema, for example in a query (contract C63); computed once per schema.
 * `undefined` without a schema or if it leaves everything open.
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
