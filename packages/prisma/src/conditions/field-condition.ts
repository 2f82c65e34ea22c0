import { ormErrors } from "../errors/orm-errors.js";
import type { StoredField } from "../models/model.js";
import type { Clause } from "../queries/query-args.js";
import { anyNull } from "../values/prisma-nulls.js";
import { checkOperand, type Operand } from "./check-operand.js";
import { escapeLike } from "./escape-like.js";
import { JsonOperand } from "./json-operand.js";
import { type FieldOperator, mayBeNull, operatorsOf } from "./operators-of.js";

/**
 * Builds the condition for one stored field, in Prisma's form. Texts are literal: `%`, `_` and `\` are
 * literal characters in every operator (contract C18).
 *
 * As in SQL, only `isNull` (or `equals` and `not` with `null`) finds a NULL: `not` and `notIn` leave it out as all
 * others do. A `Json` field's JSON `null` counts as NULL, and a list's NULL as an empty list, for that is how clients
 * see them.
 *
 * @param operand One value of the field's type; a list of them for `in`, `notIn`, `hasSome`, `hasEvery` and for
 * `equals` of a list; `true` or `false` for `isNull` and `isEmpty`; a `Json` value wrapped by `json`.
 * @throws {HttpError} 400 for an operator that does not fit the field, and for any other operand.
 */
export function fieldCondition(field: StoredField, operator: string, operand: unknown): Clause {
  const fitting = operatorsOf(field);
  if (!isOneOf(fitting, operator)) {
    throw ormErrors.InvalidQuery(`${field.name} has no operator ${operator}; expected one of ${fitting.join(", ")}.`);
  }
  if (operand === null && mayBeNull(field) && (operator === "equals" || operator === "not")) {
    return nullCondition(field, operator === "equals");
  }
  if (operator === "isNull") return nullCondition(field, checkBoolean(field, operand));
  if (field.isList) return listCondition(field, operator, operand);
  if (operator === "in" || operator === "notIn") return { [field.name]: { [operator]: checkList(field, operand) } };
  return scalarCondition(field, operator, checkOperand(field, operand));
}

function scalarCondition(field: StoredField, operator: FieldOperator, operand: Operand): Clause {
  const { name } = field;
  if (operand instanceof JsonOperand) return jsonCondition(name, operator, operand.value);
  if (typeof operand !== "string") return { [name]: { [operator]: operand } };
  switch (operator) {
    case "contains":
    case "startsWith":
    case "endsWith":
      return { [name]: { [operator]: escapeLike(operand) } };
    case "icontains":
      return { [name]: { contains: escapeLike(operand), mode: "insensitive" } };
    case "istartsWith":
      return { [name]: { startsWith: escapeLike(operand), mode: "insensitive" } };
    case "iendsWith":
      return { [name]: { endsWith: escapeLike(operand), mode: "insensitive" } };
    case "iequals":
      return { [name]: { equals: escapeLike(fillUp(field, operand)), mode: "insensitive" } };
    default:
      return { [name]: { [operator]: operand } };
  }
}

function jsonCondition(name: string, operator: FieldOperator, value: unknown): Clause {
  if (value === null) return operator === "equals" ? { [name]: { equals: anyNull } } : { [name]: { not: anyNull } };
  if (operator === "equals") return { [name]: { equals: value } };
  return { AND: [{ [name]: { not: value } }, { [name]: { not: anyNull } }] };
}

function listCondition(field: StoredField, operator: FieldOperator, operand: unknown): Clause {
  const { name } = field;
  if (operator === "has") return { [name]: { has: plain(checkOperand(field, operand)) } };
  if (operator === "isEmpty") {
    return checkBoolean(field, operand) ? emptyCondition(name) : { [name]: { isEmpty: false } };
  }
  const values = checkList(field, operand).map(plain);
  if (values.length === 0 && operator === "equals") return emptyCondition(name);
  return { [name]: { [operator]: values } };
}

/** A list that was never set is NULL in the database. */
function emptyCondition(name: string): Clause {
  return { OR: [{ [name]: { isEmpty: true } }, { [name]: { equals: null } }] };
}

function nullCondition(field: StoredField, isNull: boolean): Clause {
  const nothing = field.type === "Json" ? anyNull : null;
  return { [field.name]: isNull ? { equals: nothing } : { not: nothing } };
}

function checkList(field: StoredField, operand: unknown): Operand[] {
  if (!Array.isArray(operand)) throw ormErrors.InvalidQuery(`${field.name} must be compared with a list here.`);
  return operand.map((value) => checkOperand(field, value));
}

function checkBoolean(field: StoredField, operand: unknown): boolean {
  if (typeof operand === "boolean") return operand;
  throw ormErrors.InvalidQuery(`${field.name} must be compared with true or false here.`);
}

function plain(operand: Operand): unknown {
  return operand instanceof JsonOperand ? operand.value : operand;
}

/** A `char(n)` is padded with blanks, which ILIKE also compares. */
export function fillUp({ nativeType }: StoredField, text: string): string {
  if (nativeType?.name !== "Char") return text;
  const length = Number(nativeType.args[0] ?? 1);
  return text + " ".repeat(Math.max(0, length - [...text].length));
}

function isOneOf(operators: readonly FieldOperator[], operator: string): operator is FieldOperator {
  return (operators as readonly string[]).includes(operator);
}
