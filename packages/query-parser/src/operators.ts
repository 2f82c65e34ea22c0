/** What an operator takes: one value, a list, a path into the related model, or `true`/`false`. */
export type Operands = "one" | "list" | "none" | "relation" | "boolean";

/** One filter operator. */
export interface Operator {
  readonly operands: Operands;
  /** Whether it adds `mode: "insensitive"`. */
  readonly insensitive: boolean;
  /** The ORM's own operator: `contains` for `icontains`. `isNull` is `equals` (or `not`) null. */
  readonly base: string;
  /** Whether its value is text whatever it looks like. */
  readonly text: boolean;
  /** What it says of a field, for documents: `price` "is less than this". */
  readonly words: string;
}

const define = (operands: Operands, base: string, words: string, kind?: "text" | "insensitive"): Operator =>
  Object.freeze({ operands, base, words, insensitive: kind === "insensitive", text: kind !== undefined });

const table = {
  equals: define("one", "equals", "is this"),
  not: define("one", "not", "is not this"),
  in: define("list", "in", "is one of these"),
  notIn: define("list", "notIn", "is none of these"),
  lt: define("one", "lt", "is less than this"),
  lte: define("one", "lte", "is at most this"),
  gt: define("one", "gt", "is greater than this"),
  gte: define("one", "gte", "is at least this"),
  contains: define("one", "contains", "contains this", "text"),
  icontains: define("one", "contains", "contains this, in any letter case", "insensitive"),
  startsWith: define("one", "startsWith", "starts with this", "text"),
  istartsWith: define("one", "startsWith", "starts with this, in any letter case", "insensitive"),
  endsWith: define("one", "endsWith", "ends with this", "text"),
  iendsWith: define("one", "endsWith", "ends with this, in any letter case", "insensitive"),
  iequals: define("one", "equals", "is this, in any letter case", "insensitive"),
  isNull: define("boolean", "equals", "is null"),
  has: define("one", "has", "holds this"),
  hasSome: define("list", "hasSome", "holds one of these"),
  hasEvery: define("list", "hasEvery", "holds all of these"),
  isEmpty: define("boolean", "isEmpty", "is empty"),
  some: define("relation", "some", "has a row that meets this"),
  every: define("relation", "every", "has no row that fails this"),
  none: define("relation", "none", "has no row that meets this"),
  is: define("relation", "is", "leads to a row that meets this"),
  isNot: define("relation", "isNot", "leads to no row that meets this"),
};

/** The name of a filter operator. */
export type OperatorName = keyof typeof table;

/** Every filter operator by its name (contract C18). */
export const operators: Readonly<Record<OperatorName, Operator>> = Object.freeze(table);

/** Tells whether a segment of a name is a filter operator. */
export function isOperator(segment: string): segment is OperatorName {
  return Object.hasOwn(operators, segment);
}
