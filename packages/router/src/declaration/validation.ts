import { isPlainObject } from "@servicekit/core/internal";
import { z } from "zod";
import { isDtoClass, isZodSchema, type Schema } from "../validation/schema.js";
import type { ShapeOf } from "./option-values.js";

/** Schemas for the three parts of a request. Their output replaces the part. */
export interface ValidationConfig {
  /** `false` declares that the route has no validation, for `validation.strict` (contract C48). */
  readonly body?: Schema | false;
  readonly query?: Schema | false;
  readonly params?: Schema | false;
}

/** The parts of a request that can be validated. */
export const validatedParts = ["body", "query", "params"] as const;
export type ValidatedPart = (typeof validatedParts)[number];

/** A schema of the user. */
export const schemaValue = z
  .custom<Schema>((value) => isZodSchema(value) || isDtoClass(value))
  .meta({ expected: "a Zod schema or a class with class-validator decorators" });

const part = z
  .custom<Schema | false>((value) => value === false || isZodSchema(value) || isDtoClass(value))
  .meta({ expected: "a Zod schema, a class with class-validator decorators, or false" });

const parts: ShapeOf<ValidationConfig> = { body: part.optional(), query: part.optional(), params: part.optional() };

/** A Zod schema is an object too; it must be one level deeper. */
export const validationSchema = z
  .custom(isPlainObject)
  .meta({ expected: "an object with schemas for body, query or params" })
  .pipe(z.strictObject(parts));
