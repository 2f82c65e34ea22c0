import type { StoredField } from "../model.js";

/** The operators of contract C18 that stand for one stored field. */
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

/** Types of PostgreSQL that a `String` is stored in and that do not take every operator of text. */
const byNativeType: Readonly<Record<string, readonly FieldOperator[]>> = {
  Uuid: comparable,
  Inet: comparable,
  Bit: comparable,
  VarBit: comparable,
  // PostgreSQL compares no XML.
  Xml: exactText,
  // ILIKE sees the blanks that fill the column up, so the end of a value cannot be found.
  Char: plainText.filter((operator) => operator !== "iendsWith"),
};

/** Lists that PostgreSQL, or Prisma, compares element by element only in part. */
const byListType: Readonly<Record<string, readonly FieldOperator[]>> = {
  // Prisma writes Uint8Arrays within a list in a form that equals nothing.
  Bytes: ["has", "isEmpty"],
  Json: ["isEmpty"],
  Xml: ["isEmpty"],
};

/** In a condition Prisma takes these names, whatever their case, for its own AND, OR and NOT, and fails. */
const namesOfGroups = /^(and|or|not)$/i;

const known = new WeakMap<StoredField, readonly FieldOperator[]>();

/**
 * The operators that fit a field, in the order of contract C18. `isNull` fits every field that may be null; nothing
 * fits one that is named like a group.
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
  const own = field.kind === "enum" ? equality : (byNativeType[native] ?? byType[field.type] ?? equality);
  return mayBeNull(field) ? [...own, "isNull"] : own;
}

/** Whether clients can see null in a field: a `Json` column that may not be NULL may still hold the JSON value null. */
export function mayBeNull({ isRequired, isList, type }: StoredField): boolean {
  return !isRequired || (type === "Json" && !isList);
}

/** Whether rows can be put in the order of a field's values. */
export function isSortable(field: StoredField): boolean {
  return !field.isList && field.type !== "Json" && field.nativeType?.name !== "Xml";
}
