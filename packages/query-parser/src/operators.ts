/** The operand of an operator: one value, a list, a path into the related model, or `true`/`false`. */
export type Operands = "one" | "list" | "none" | "relation" | "boolean";

/** One filter operator. */
export interface Operator {
  readonly operands: Operands;
  /** Whether it adds `mode: "insensitive"`. */
  readonly insensitive: boolean;
  /** The ORM's own operator: `contains` for `icontains`. `isNull` is `equals` (or `not`) null. */
  readonly base: string;
  /** Whether its value is always text. */
  readonly text: boolean;
  /** Its description, for documents: `price` "is less than the value". */
  readonly words: string;
}

const define = (operands: Operands, base: string, words: string, kind?: "text" | "insensitive"): Operator =>
  Object.freeze({ operands, base, words, insensitive: kind === "insensitive", text: kind !== undefined });

const table = {
  equals: define("one", "equals", "is equal to the value"),
  not: define("one", "not", "is not equal to the value"),
  in: define("list", "in", "is in the list"),
  notIn: define("list", "notIn", "is not in the list"),
  lt: define("one", "lt", "is less than the value"),
  lte: define("one", "lte", "is less than or equal to the value"),
  gt: define("one", "gt", "is greater than the value"),
  gte: define("one", "gte", "is greater than or equal to the value"),
  contains: define("one", "contains", "contains the value", "text"),
  icontains: define("one", "contains", "contains the value, case-insensitive", "insensitive"),
  startsWith: define("one", "startsWith", "starts with the value", "text"),
  istartsWith: define("one", "startsWith", "starts with the value, case-insensitive", "insensitive"),
  endsWith: define("one", "endsWith", "ends with the value", "text"),
  iendsWith: define("one", "endsWith", "ends with the value, case-insensitive", "insensitive"),
  iequals: define("one", "equals", "is equal to the value, case-insensitive", "insensitive"),
  isNull: define("boolean", "equals", "is null"),
  has: define("one", "has", "contains the value"),
  hasSome: define("list", "hasSome", "contains at least one of the values"),
  hasEvery: define("list", "hasEvery", "contains all of the values"),
  isEmpty: define("boolean", "isEmpty", "is empty"),
  some: define("relation", "some", "has at least one row that matches"),
  every: define("relation", "every", "all rows match"),
  none: define("relation", "none", "has no row that matches"),
  is: define("relation", "is", "the related row matches"),
  isNot: define("relation", "isNot", "the related row does not match"),
};

/** The name of a filter operator. */
export type OperatorName = keyof typeof table;

/** Every filter operator by its name (contract C18). */
export const operators: Readonly<Record<OperatorName, Operator>> = Object.freeze(table);

/** Returns whether a segment of a name is a filter operator. */
export function isOperator(segment: string): segment is OperatorName {
  return Object.hasOwn(operators, segment);
}
