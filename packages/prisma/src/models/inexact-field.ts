import { fieldRule } from "./field-rule.js";
import { isStored } from "./is-stored.js";
import type { Field } from "./model.js";

/**
 * Whether a row of Prisma cannot represent every value of the column: lists with NULL or of several dimensions, long
 * numbers in JSON, and date-times finer than milliseconds or of another zone.
 */
export function isInexact(field: Field): boolean {
  if (!isStored(field)) return false;
  if (field.isList || field.type === "Json" || field.nativeType?.name === "Timetz") return true;
  const rule = field.kind === "scalar" && field.type === "DateTime" ? fieldRule(field) : undefined;
  return rule?.kind === "date" && rule.places > 3;
}
