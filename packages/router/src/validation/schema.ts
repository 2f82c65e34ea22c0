/** A Zod schema, by its types only, so that `zod` and `zod/mini` both fit. */
export interface ZodSchema<Output = unknown> {
  readonly _zod: { readonly output: Output; readonly input: unknown; readonly def: { readonly type: string } };
}

/** A class with class-validator decorators. */
export type DtoClass<Instance extends object = object> = new () => Instance;

/** The schemas of validation. */
export type Schema = ZodSchema | DtoClass;

/** The output of a schema for a valid value: a Zod schema's output, or an instance of the class. */
export type OutputOf<Given> =
  Given extends ZodSchema<infer Output> ? Output : Given extends DtoClass<infer Instance> ? Instance : unknown;

/** Recognizes a Zod schema by its inner property, which every variant and copy of Zod 4 has. */
export function isZodSchema(value: unknown): value is ZodSchema {
  return typeof value === "object" && value !== null && "_zod" in value;
}

/** Distinguishes a class from an arrow function or a plain object. */
export function isDtoClass(value: unknown): value is DtoClass {
  return typeof value === "function" && typeof value.prototype === "object";
}
