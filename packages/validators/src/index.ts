export { checkDtoClass } from "./class-validator.js";
export { expectedOfSchema } from "./expected-of-schema.js";
export { makeValidator } from "./make-validator.js";
export { type DtoClass, isDtoClass, isZodSchema, type OutputOf, type Schema, type ZodSchema } from "./schema.js";
export { schemaKeys } from "./schema-keys.js";
export type { Validator, Verdict } from "./validator.js";
export { checkedAtOnce } from "./zod.js";
