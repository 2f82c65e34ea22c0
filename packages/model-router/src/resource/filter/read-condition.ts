import { type StoredField } from "@servicekit/prisma";
import { allOf, anyOf, condition, type Filter, mayBeNull } from "@servicekit/prisma/internal";
import { type QueryLimits } from "@servicekit/query-parser";
import { isOperator, operators, type ReadText, readText, splitList } from "@servicekit/query-parser/internal";
import { readTextValue, type Scalar } from "../values/read-text-value.js";
import type { QueryIssues } from "./query-issues.js";

/** One parameter that filters a stored field. */
export interface ConditionTerm {
  /** The parameter's name as the client wrote it. */
  readonly name: string;
  readonly field: StoredField;
  readonly operator: string;
  /** Whether the client wrote no operator: in `field=a,b` commas split, so that `\,` is a comma. */
  readonly isBare: boolean;
  readonly values: readonly string[];
}

/**
 * Reads one filter on one stored field, each operand by the field's own type (contract C10).
 *
 * @returns `undefined` if an operand is invalid: the error is added
 */
export function readCondition(term: ConditionTerm, limits: QueryLimits, issues: QueryIssues): Filter | undefined {
  const { field, name, operator, values, isBare } = term;
  const takes = isOperator(operator) ? operators[operator].operands : "one";
  if (takesList(field, operator)) {
    const texts = values.flatMap((value) => splitList(value, limits, name));
    if (texts.length > limits.listItems) {
      const message = `The list of ${name} has ${texts.length} items. Maximum: ${limits.listItems}.`;
      issues.add(name, "TooManyItems", message);
      return undefined;
    }
    const operands = texts.map((text) => readOperand(term, text, issues));
    if (operands.includes(undefined)) return undefined;
    return listFilter(field, operator, operands as (Scalar | null)[]);
  }
  const filters: Filter[] = [];
  for (const value of values) {
    const text = isBare ? (splitList(value, limits, name)[0] ?? emptyText) : readText(value);
    const operand = takes === "boolean" ? readFlag(name, value, issues) : readOperand(term, text, issues);
    if (operand === undefined) return undefined;
    filters.push(oneFilter(field, operator, operand));
  }
  return allOf(filters);
}

/** Whether an operator takes a list: `[]` after its name, and commas, are allowed. */
export function takesList(field: StoredField, operator: string): boolean {
  return (field.isList && operator === "equals") || (isOperator(operator) && operators[operator].operands === "list");
}

const emptyText: ReadText = { text: "", quoted: false };

/** The operator of the bare form `field=v`: equals, in a list, or "has" on a list field (contract C10). */
export function bareOperator(field: StoredField, values: readonly string[], isList: boolean): string {
  const several = isList || values.length > 1 || splitList(values[0] ?? "").length > 1;
  if (field.isList) return several ? "hasSome" : "has";
  return several ? "in" : "equals";
}

function readFlag(name: string, value: string, issues: QueryIssues): boolean | undefined {
  const { text } = readText(value);
  if (text === "true" || text === "false") return text === "true";
  issues.add(name, "InvalidValue", `${name} must be true or false.`);
  return undefined;
}

const takesNull: ReadonlySet<string> = new Set(["equals", "not", "in", "notIn"]);

function readOperand(
  { name, field, operator }: ConditionTerm,
  { text, quoted }: ReadText,
  issues: QueryIssues,
): Scalar | null | undefined {
  if (!quoted && text === "null" && mayBeNull(field) && !field.isList && takesNull.has(operator)) return null;
  const reading = readTextValue(field, text, quoted);
  if (reading.ok) return reading.value;
  issues.add(name, "InvalidValue", `${name} must be ${reading.expected}.`);
  return undefined;
}

/** Equality with null means IS NULL. */
function oneFilter(field: StoredField, operator: string, operand: Scalar | null): Filter {
  if (operand !== null) return condition(field, operator, operand);
  return condition(field, "isNull", operator === "equals");
}

/** A list of values cannot contain null: null becomes a separate condition. */
function listFilter(field: StoredField, operator: string, operands: readonly (Scalar | null)[]): Filter {
  const values = operands.filter((operand) => operand !== null);
  const list = condition(field, operator, values);
  if (values.length === operands.length) return list;
  const isNull = condition(field, "isNull", operator === "in");
  if (values.length === 0) return isNull;
  return operator === "in" ? anyOf([list, isNull]) : allOf([list, isNull]);
}
