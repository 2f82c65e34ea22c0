import type { StoredField } from "../models/model.js";

/** The operators of contract C18 for one stored field. */
export type FieldOperator =
  | "equals"
  | "not"
  | "in"
  | "notIn"
  | "lt"
  | "lte"
  | "gt"
  | "gte"
  | "contains"
  | "startsWith"
  | "endsWith"
  | "icontains"
  | "istartsWith"
  | "iendsWith"
  | "iequals"
  | "isNull"
  | "has"
  | "hasSome"
  | "hasEvery"
  | "isEmpty";

const order: readonly FieldOperator[] = ["lt", "lte", "gt", "gte"];
const equality: readonly FieldOperator[] = ["equals", "not", "in", "notIn"];
const exactText: readonly FieldOperator[] = ["contains", "startsWith", "endsWith"];
const looseText: readonly FieldOperator[] = ["icontains", "istartsWith", "iendsWith", "iequals"];
const membership: readonly FieldOperator[] = ["has", "hasSome", "hasEvery", "isEmpty", "equals"];

const plainText = [...equality, ...order, ...exactText, ...looseText];
const comparable = [...equality, ...order];

const byType: Readonly<Record<string, readonly FieldOperator[]>> = {
  String: plainText,
  Boolean: ["equals", "not"],
  Int: comparable,
  BigInt: comparable,
  Float: comparable,
  Decimal: comparable,
  DateTime: comparable,
  Json: ["equals", "not"],
  Bytes: equality,
};

/** PostgreSQL types of `String` fields that do not support every text operator. */
const byNativeType: Readonly<Record<string, readonly FieldOperator[]>> = {
  Uuid: comparable,
  Inet: comparable,
  Bit: comparable,
  VarBit: comparable,
  // PostgreSQL cannot compare XML.
  Xml: exactText,
  // ILIKE includes the padding blanks, so the end of a value cannot be matched.
  Char: plainText.filter((operator) => operator !== "iendsWith"),
};

/** Lists that PostgreSQL, or Prisma, compares only partially. */
const byListType: Readonly<Record<string, readonly FieldOperator[]>> = {
  // Prisma writes Uint8Arrays within a list in a form that equals nothing.
  Bytes: ["has", "isEmpty"],
  Json: ["isEmpty"],
  Xml: ["isEmpty"],
};

/** In a condition Prisma reads these names, in any case, as its own AND, OR and NOT, and fails. */
const namesOfGroups = /^(and|or|not)$/i;

const known = new WeakMap<StoredField, readonly FieldOperator[]>();

/**
 * The operators of a field, in the order of contract C18. `isNull` fits every nullable field; a field with the name of
 * a group has none.
 */
export function operatorsOf(field: StoredField): readonly FieldOperator[] {
  const found = known.get(field) ?? Object.freeze([...findOperators(field)]);
  known.set(field, found);
  return found;
}

function findOperators(field: StoredField): readonly FieldOperator[] {
  if (namesOfGroups.test(field.name)) return [];
  const native = field.nativeType?.name ?? "";
  if (field.isList) {
    if (field.type === "Json" && native !== "Json") return membership;
    return byListType[native] ?? byListType[field.type] ?? membership;
  }
  const own = field.kind === "enum" ? equality : ownOperators(field, native);
  return mayBeNull(field) ? [...own, "isNull"] : own;
}

function ownOperators({ type }: StoredField, native: string): readonly FieldOperator[] {
  // MySQL compares the bits of several as another value than Prisma's bytes.
  if (type === "Bytes" && native === "Bit") return [];
  return (type === "String" ? byNativeType[native] : undefined) ?? byType[type] ?? equality;
}

/** Whether clients can see null in a field: a required `Json` column may contain the JSON value null. */
export function mayBeNull({ isRequired, isList, type }: StoredField): boolean {
  return !isRequired || (type === "Json" && !isList);
}

/** Whether rows can be sorted by a field. */
export function isSortable(field: StoredField): boolean {
  return !field.isList && field.type !== "Json" && field.nativeType?.name !== "Xml";
}
