import { type StoredField } from "@servicekit/prisma";
import { fieldRule } from "@servicekit/prisma/internal";

/** The least and the greatest value that an integer column can hold. */
export interface IntegerRange {
  readonly min: bigint;
  readonly max: bigint;
}

/** The range of an `Int` or `BigInt` field, by its native type where it has one (contract C12). */
export function integerRange(field: StoredField): IntegerRange {
  const rule = fieldRule(field);
  if (rule.kind !== "integer") throw new TypeError(`The field ${field.name} is no integer.`);
  return rule;
}
