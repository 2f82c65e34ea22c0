import { makeClassValidator } from "./class-validator.js";
import { isZodSchema, type Schema } from "./schema.js";
import type { Validator } from "./validator.js";
import { makeZodValidator } from "./zod.js";

/**
 * A validator of a Zod schema or of a class with class-validator decorators, for generated routes: it returns the
 * entries of a response's `errors` (contract C3).
 *
 * @param options are passed to the library, but cannot disable guards (contract C48)
 */
export function makeValidator(schema: Schema, options?: Readonly<Record<string, unknown>>): Validator {
  return isZodSchema(schema) ? makeZodValidator(schema, options) : makeClassValidator(schema, options);
}
