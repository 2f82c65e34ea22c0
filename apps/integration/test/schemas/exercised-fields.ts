import { type Model, operatorsOf, type RelationField, type StoredField } from "@servicekit/prisma";
import { isBodyField, isHidden, isOptionalInCreate } from "@servicekit/prisma/internal";

type Row = Record<string, unknown>;

export const storedFields = (model: Model): readonly StoredField[] =>
  model.fields.filter((field): field is StoredField => field.kind === "scalar" || field.kind === "enum");

export const storedField = (model: Model, name: string): StoredField | undefined =>
  storedFields(model).find((field) => field.name === name);

export const relations = (model: Model): readonly RelationField[] =>
  model.fields.filter((field): field is RelationField => field.kind === "relation" && !isHidden(field));

/** The relations stored in this model; those of several fields first, because they determine shared fields. */
export const ownRelations = (model: Model): readonly RelationField[] =>
  relations(model)
    .filter(({ relation }) => relation.fields.length > 0)
    .sort((a, b) => b.relation.fields.length - a.relation.fields.length);

export const isInUniqueKey = (model: Model, name: string): boolean =>
  model.uniqueKeys.some(({ fields }) => fields.some((field) => field.name === name));

export const isSet = (field: StoredField): boolean =>
  isBodyField(field) && !isHidden(field) && !(field.isForeignKey && isOptionalInCreate(field));

/** Contract C20 excludes these words from paths; as a parameter name they are allowed. */
export const isForbiddenInPaths = (name: string): boolean => name === "constructor" || name === "prototype";

export const isSearched = (model: Model, field: StoredField): boolean =>
  field.type === "String" &&
  !field.isList &&
  !field.isId &&
  !field.isForeignKey &&
  !model.key?.fields.includes(field) &&
  operatorsOf(field).includes("icontains");

export const keyOf = (model: Model, row: Row): string =>
  (model.key?.fields ?? []).map(({ name }) => encodeURIComponent(String(row[name]))).join(",");

/** An id in a list of ids, as in a path. */
export const idOf = (model: Model, row: Row): unknown => {
  const [only, ...others] = model.key?.fields ?? [];
  return only !== undefined && others.length === 0 ? row[only.name] : keyOf(model, row);
};

/** Quoted text is always text. */
export const operand = (field: StoredField, value: unknown): string => {
  const isText = field.kind === "enum" || ["String", "Json", "Bytes"].includes(field.type);
  const text = isText ? `"${String(value).replaceAll(/["\\]/g, "\\$&")}"` : String(value);
  return encodeURIComponent(text);
};

export interface Condition {
  readonly operator: string;
  readonly given: string;
  /** Whether it matches the row with the given value. */
  readonly holds: boolean;
}

/** The conditions on a field with this operator, for a row with this value. */
export function conditionOf(field: StoredField, operator: string, value: unknown): readonly Condition[] {
  const one = (given: string, holds: boolean): readonly Condition[] => [{ operator, given, holds }];
  if (operator === "isNull") return [...one("false", value !== null), ...one("true", value === null)];
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) {
    const isEmpty = value.length === 0;
    if (operator === "isEmpty") return [...one("true", isEmpty), ...one("false", !isEmpty)];
    if (isEmpty || value.some((item) => typeof item === "object")) return [];
    if (operator === "has") return one(operand(field, value[0]), true);
    return one(value.map((item) => operand(field, item)).join(","), true);
  }
  if (typeof value === "object") return [];
  return one(operand(field, value), !["not", "notIn", "lt", "gt"].includes(operator));
}
