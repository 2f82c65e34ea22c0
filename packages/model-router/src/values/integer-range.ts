import type { StoredField } from "@servicekit/orm";

/** The least and the greatest value that an integer column can hold. */
export interface IntegerRange {
  readonly min: bigint;
  readonly max: bigint;
}

const ranges: Readonly<Record<string, IntegerRange>> = {
  SmallInt: { min: -(2n ** 15n), max: 2n ** 15n - 1n },
  Int: { min: -(2n ** 31n), max: 2n ** 31n - 1n },
  BigInt: { min: -(2n ** 63n), max: 2n ** 63n - 1n },
  Oid: { min: 0n, max: 2n ** 31n - 1n },
};

/** The range of an `Int` or `BigInt` field, by its native type where it has one (contract C12). */
export function integerRange(field: StoredField): IntegerRange {
  const range = ranges[field.nativeType?.name ?? ""] ?? ranges[field.type];
  if (range === undefined) throw new TypeError(`The field ${field.name} is no integer.`);
  return range;
}
