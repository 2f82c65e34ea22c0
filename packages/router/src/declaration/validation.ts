import { isPlainObject } from "@servicekit/field-path";
import { z } from "zod";
import type { ShapeOf } from "./option-values.js";

/** A Zod schema, seen by its types only, so that `zod` and `zod/mini` both fit. */
export interface ZodSchema<Output = unknown> {
  readonly _zod: { readonly output: Output; readonly input: unknown; readonly def: { readonly type: string } };
}

/** A class with class-validator decorators. */
export type DtoClass<Instance extends object = object> = new () => Instance;

/** What may stand under `validation`. */
export type Schema = ZodSchema | DtoClass;

/** What a schema makes of a valid value: a Zod schema's output, or an instance of the class. */
export type OutputOf<Given> =
  Given extends ZodSchema<infer Output> ? Output : Given extends DtoClass<infer Instance> ? Instance : unknown;

/** Schemas for the three parts of a request. What they make of a part replaces it. */
export interface ValidationConfig {
  /** `false` says "none on purpose" where `validation.strict` asks for validation (contract C48). */
  readonly body?: Schema | false;
  readonly query?: Schema | false;
  readonly params?: Schema | false;
}

/** The parts of a request that can be validated. */
export const validatedParts = ["body", "query", "params"] as const;
export type ValidatedPart = (typeof validatedParts)[number];

/** Tells a Zod schema by its inner property, which every flavour and copy of Zod 4 has. */
export function isZodSchema(value: unknown): value is ZodSchema {
  return typeof value === "object" && value !== null && "_zod" in value;
}

/** Tells a class from an arrow function or a plain object. */
export function isDtoClass(value: unknown): value is DtoClass {
  return typeof value === "function" && typeof value.prototype === "object";
}

/** A schema of the user's own. */
export const schemaValue = z
  .custom<Schema>((value) => isZodSchema(value) || isDtoClass(value))
  .meta({ expected: "a Zod schema or a class with class-validator decorators" });

const part = z
  .custom<Schema | false>((value) => value === false || isZodSchema(value) || isDtoClass(value))
  .meta({ expected: "a Zod schema, a class with class-validator decorators, or false" });

const parts: ShapeOf<ValidationConfig> = { body: part.optional(), query: part.optional(), params: part.optional() };

/** A schema of Zod is an object too, and belongs one step deeper. */
export const validationSchema = z
  .custom(isPlainObject)
  .meta({ expected: "an object with schemas for body, query or params" })
  .pipe(z.strictObject(parts));
