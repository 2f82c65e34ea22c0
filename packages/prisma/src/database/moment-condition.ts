import { isPlainObject } from "@servicekit/core/internal";
import type { ScalarField } from "../models/model.js";
import type { Clause } from "../queries/query-args.js";

/**
 * Whether a condition of the field finds other times than rows contain: the column stores microseconds. A key is compared as
 * it is, because Prisma requires its value.
 */
export const comparesMoments = ({ isRounded, isId, isUnique }: ScalarField): boolean =>
  isRounded === true && !isId && !isUnique;

/** The condition of one field with the times of each millisecond in place of the first one. */
export function momentCondition(name: string, condition: unknown): Clause {
  const operators: Clause = isPlainObject(condition) ? condition : { equals: condition };
  const clauses = Object.entries(operators).map(([operator, operand]) => clauseOf(name, operator, operand));
  return clauses.length === 1 ? (clauses[0] as Clause) : { AND: clauses };
}

function clauseOf(name: string, operator: string, operand: unknown): Clause {
  if (operator === "not" && isPlainObject(operand)) return { NOT: momentCondition(name, operand) };
  const same = { [name]: { [operator]: operand } };
  if (Array.isArray(operand)) {
    const listed = { OR: operand.map((moment) => clauseOf(name, "equals", moment)) };
    return operator === "notIn" ? { NOT: listed } : operator === "in" ? listed : same;
  }
  if (!(operand instanceof Date)) return same;
  const next = new Date(operand.getTime() + 1);
  switch (operator) {
    case "equals":
      return { [name]: { gte: operand, lt: next } };
    case "not":
      return { NOT: { [name]: { gte: operand, lt: next } } };
    case "gt":
      return { [name]: { gte: next } };
    case "lte":
      return { [name]: { lt: next } };
    default:
      return same;
  }
}
