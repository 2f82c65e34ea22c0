import type { StoredField } from "@servicekit/orm";
import { integerRange } from "../values/integer-range.js";
import { decimalShape } from "../values/read-decimal.js";
import type { Scalar } from "../values/read-text-value.js";

/**
 * How many rows a filter can let through, judged by types alone: a bulk change needs a filter that is not met by `every`
 * row (contract C14). `empty` is a filter by an empty value: no criterion, whatever is said around it.
 */
export type Scope = "every" | "some" | "none" | "empty";

/** Whether a filter is a criterion: something that not every row meets by its type. */
export const isCriterion = (scope: Scope): boolean => scope !== "every" && scope !== "empty";

/** All of these hold. */
export function allOf(scopes: readonly Scope[]): Scope {
  const said = scopes.filter((scope) => scope !== "empty");
  if (said.length === 0 && scopes.length > 0) return "empty";
  if (said.includes("none")) return "none";
  return said.every((scope) => scope === "every") ? "every" : "some";
}

/** At least one of these holds. */
export function anyOf(scopes: readonly Scope[]): Scope {
  if (scopes.includes("empty")) return "empty";
  if (scopes.includes("every")) return "every";
  return scopes.every((scope) => scope === "none") ? "none" : "some";
}

/** This does not hold. */
export function notOf(scope: Scope): Scope {
  if (scope === "empty") return scope;
  return scope === "every" ? "none" : scope === "none" ? "every" : "some";
}

/** What a relation filter lets through, given what its inner filter does. */
export function relatedScope(quantifier: string, inner: Scope, isRequired: boolean): Scope {
  if (inner === "empty") return inner;
  switch (quantifier) {
    case "some":
      return inner === "none" ? "none" : "some";
    case "every":
      return inner === "every" ? "every" : "some";
    case "none":
      return inner === "none" ? "every" : "some";
    case "isNot":
      return isRequired ? notOf(inner) : inner === "none" ? "every" : "some";
    default:
      return isRequired ? inner : inner === "none" ? "none" : "some";
  }
}

type Operand = Scalar | null | readonly (Scalar | null)[];

/** What a condition on one field lets through; an empty text is no criterion, whatever the operator. */
export function conditionScope(field: StoredField, operator: string, operand: Operand): Scope {
  const values = Array.isArray(operand) ? (operand as readonly (Scalar | null)[]) : [operand as Scalar | null];
  if (values.length === 0 || values.every((value) => value === "")) return "empty";
  const [value] = values;
  switch (operator) {
    case "isNull":
      return field.isRequired ? (value === true ? "none" : "every") : "some";
    case "in":
      return coversType(field, values) ? "every" : "some";
    case "notIn":
      return coversType(field, values) ? "none" : "some";
    case "gte":
      return atLowerEnd(field, value) ? "every" : "some";
    case "lte":
      return atUpperEnd(field, value) ? "every" : "some";
    case "lt":
      return atLowerEnd(field, value) ? "none" : "some";
    case "gt":
      return atUpperEnd(field, value) ? "none" : beyondLowerEnd(field, value) ? "every" : "some";
    default:
      return "some";
  }
}

function coversType(field: StoredField, values: readonly (Scalar | null)[]): boolean {
  const all: readonly Scalar[] | undefined =
    field.kind === "enum" ? field.values : field.type === "Boolean" ? [true, false] : undefined;
  return all?.every((value) => values.includes(value)) ?? false;
}

function atLowerEnd(field: StoredField, value: Scalar | null | undefined): boolean {
  if (typeof value === "number" && field.type === "Int") return BigInt(value) <= integerRange(field).min;
  if (typeof value === "bigint") return value <= integerRange(field).min;
  if (value instanceof Date && isTimeOfDay(field)) return value.getTime() <= 0;
  if (typeof value === "string" && isUuid(field)) return /^[0-]+$/.test(value);
  if (typeof value === "string" && field.type === "Decimal" && value.startsWith("-")) {
    return isGreatest(value.slice(1), field);
  }
  return beyondLowerEnd(field, value);
}

function atUpperEnd(field: StoredField, value: Scalar | null | undefined): boolean {
  if (typeof value === "number") {
    return field.type === "Int" ? BigInt(value) >= integerRange(field).max : value >= greatest(field);
  }
  if (typeof value === "bigint") return value >= integerRange(field).max;
  if (value instanceof Date) return value.getUTCFullYear() >= 9999;
  if (typeof value === "string" && isUuid(field)) return /^[f-]+$/i.test(value);
  if (typeof value === "string" && field.type === "Decimal") return !value.startsWith("-") && isGreatest(value, field);
  return false;
}

function beyondLowerEnd(field: StoredField, value: Scalar | null | undefined): boolean {
  if (typeof value === "number") return field.type === "Float" && value <= -greatest(field);
  if (value instanceof Date) return value.getUTCFullYear() <= 1;
  if (typeof value === "string" && field.type === "Decimal") {
    return value.startsWith("-") && wholeDigits(value) > decimalShape(field).whole;
  }
  return false;
}

/** The greatest number of a `Float` column. */
const greatest = ({ nativeType }: StoredField): number =>
  nativeType?.name === "Real" ? (2 - 2 ** -23) * 2 ** 127 : Number.MAX_VALUE;

const isUuid = ({ nativeType }: StoredField): boolean => nativeType?.name === "Uuid";
const isTimeOfDay = ({ nativeType }: StoredField): boolean =>
  nativeType?.name === "Time" || nativeType?.name === "Timetz";

function wholeDigits(decimal: string): number {
  const digits = decimal.replace(/^-|\..*$/g, "");
  return digits === "0" ? 0 : digits.length;
}

/** Whether a decimal without its sign is the greatest that the column holds, or beyond. */
function isGreatest(decimal: string, field: StoredField): boolean {
  const { whole, fraction } = decimalShape(field);
  if (wholeDigits(decimal) !== whole) return wholeDigits(decimal) > whole;
  const [digits = "", rest = ""] = decimal.split(".");
  const isFull = whole === 0 || /^9+$/.test(digits);
  return isFull && rest.startsWith("9".repeat(fraction));
}
