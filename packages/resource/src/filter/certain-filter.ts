import { isPlainObject } from "@servicekit/field-path";
import type { Model, Models, RelationField, StoredField } from "@servicekit/orm";
import type { Where } from "./where.js";

/**
 * The same filter, but false where it would be unknown: in SQL a comparison with NULL is neither true nor false, and its
 * negation lets no row through either. A row rule that is negated together with a client's filter must be false for every
 * row outside, so that none of its values shows.
 *
 * @returns `undefined` for a filter that cannot be made so: on lists, inside `Json`, between columns
 */
export function certainFilter(filter: Where, model: Model, models: Models): Where | undefined {
  try {
    return readGroup(filter, { model, models, isNegated: false });
  } catch (error) {
    if (error === uncertain) return undefined;
    throw error;
  }
}

const uncertain = Symbol("servicekit.uncertain");

interface Place {
  readonly model: Model;
  readonly models: Models;
  /** Whether the opposite is wanted: negations are pushed down to the single conditions. */
  readonly isNegated: boolean;
}

const opposite = (place: Place): Place => ({ ...place, isNegated: !place.isNegated });
const joined = (parts: readonly Where[], word: "AND" | "OR"): Where =>
  parts.length === 1 && parts[0] !== undefined ? parts[0] : { [word]: parts };

function readGroup(filter: Where, place: Place): Where {
  const parts = Object.entries(filter).map(([key, value]) => readEntry(key, value, place));
  return joined(parts, place.isNegated ? "OR" : "AND");
}

function readEntry(key: string, value: unknown, place: Place): Where {
  const { isNegated, model } = place;
  if (key === "AND" || key === "OR" || key === "NOT") {
    const members = ([] as unknown[]).concat(value) as Where[];
    const inner = key === "NOT" ? opposite(place) : place;
    const parts = members.map((member) => readGroup(member, inner));
    return joined(parts, (key === "OR") === isNegated ? "AND" : "OR");
  }
  const field = model.fieldsByName.get(key);
  if (field?.kind === "relation") return field.isList ? readList(field, value, place) : readOne(field, value, place);
  if (field === undefined || field.kind === "unsupported" || field.isList || field.type === "Json") throw uncertain;
  return readField(field, value, place);
}

/** A condition on related rows is a subquery, which is true or false whatever it finds. */
function readList(field: RelationField, value: unknown, { isNegated }: Place): Where {
  const parts = Object.entries(value as Where).map(([word, inner]): Where => {
    if (!isNegated) return { [field.name]: { [word]: inner } };
    if (word === "every") return { [field.name]: { some: { NOT: inner } } };
    return { [field.name]: { [word === "some" ? "none" : "some"]: inner } };
  });
  return joined(parts, isNegated ? "OR" : "AND");
}

function readOne(field: RelationField, value: unknown, place: Place): Where {
  const isLong = isPlainObject(value) && Object.keys(value).every((word) => word === "is" || word === "isNot");
  const words = isLong ? Object.entries(value) : [["is", value] as const];
  const parts = words.map(([word, inner]) => readIs(field, inner, word === "isNot" ? opposite(place) : place));
  return joined(parts, place.isNegated ? "OR" : "AND");
}

function readIs(field: RelationField, inner: unknown, { models, isNegated }: Place): Where {
  if (inner === null) return { [field.name]: isNegated ? { isNot: null } : { is: null } };
  const related = models.get(field.type);
  if (related === undefined || !isPlainObject(inner)) throw uncertain;
  const isEmpty = Object.keys(inner).length === 0;
  if (isEmpty) return isNegated ? { NOT: { [field.name]: { is: {} } } } : { [field.name]: { is: {} } };
  const found: Where = { [field.name]: { is: readGroup(inner, { model: related, models, isNegated }) } };
  return isNegated && !field.isRequired ? { OR: [{ [field.name]: { is: null } }, found] } : found;
}

function readField(field: StoredField, value: unknown, { isNegated }: Place): Where {
  const { mode, ...operators } = isPlainObject(value) ? value : { equals: value };
  const parts = Object.entries(operators).map(([operator, operand]): Where => {
    if (operand === null && (operator === "equals" || operator === "not")) {
      return { [field.name]: (operator === "equals") === isNegated ? { not: null } : { equals: null } };
    }
    if (isReference(operand)) throw uncertain;
    const condition: Where = { [field.name]: { [operator]: operand, ...(mode === undefined ? {} : { mode }) } };
    const told: Where = isNegated ? { NOT: condition } : condition;
    return field.isRequired ? told : { AND: [told, { [field.name]: { not: null } }] };
  });
  return joined(parts, isNegated ? "OR" : "AND");
}

/** Another column in place of a value; a value is a scalar, a list, a date, bytes, a decimal, or operators below `not`. */
function isReference(operand: unknown): boolean {
  if (typeof operand !== "object" || operand === null) return false;
  if (Array.isArray(operand)) return operand.some(isReference);
  if (isPlainObject(operand))
    return "_ref" in operand || Object.values(operand).some((inner) => inner === null || isReference(inner));
  return !(operand instanceof Date || operand instanceof Uint8Array || "toFixed" in operand);
}
