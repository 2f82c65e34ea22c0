import { type StoredField } from "@servicekit/prisma";
import { fieldRule } from "@servicekit/prisma/internal";

/** The minimum and the maximum value of an integer column. */
export interface IntegerRange {
  readonly min: bigint;
  readonly max: bigint;
}

/** The range of an `Int` or `BigInt` field, by its native type if it has one (contract C12). */
export function integerRange(field: StoredField): IntegerRange {
  const rule = fieldRule(field);
  if (rule.kind !== "integer") throw new TypeError(`The field ${field.name} is not an integer.`);
  return rule;
}
