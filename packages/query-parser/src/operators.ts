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
}

const define = (operands: Operands, base: string, kind?: "text" | "insensitive"): Operator =>
  Object.freeze({ operands, base, insensitive: kind === "insensitive", text: kind !== undefined });

const table = {
  equals: define("one", "equals"),
  not: define("one", "not"),
  in: define("list", "in"),
  notIn: define("list", "notIn"),
  lt: define("one", "lt"),
  lte: define("one", "lte"),
  gt: define("one", "gt"),
  gte: define("one", "gte"),
  contains: define("one", "contains", "text"),
  icontains: define("one", "contains", "insensitive"),
  startsWith: define("one", "startsWith", "text"),
  istartsWith: define("one", "startsWith", "insensitive"),
  endsWith: define("one", "endsWith", "text"),
  iendsWith: define("one", "endsWith", "insensitive"),
  iequals: define("one", "equals", "insensitive"),
  isNull: define("boolean", "equals"),
  has: define("one", "has"),
  hasSome: define("list", "hasSome"),
  hasEvery: define("list", "hasEvery"),
  isEmpty: define("boolean", "isEmpty"),
  some: define("relation", "some"),
  every: define("relation", "every"),
  none: define("relation", "none"),
  is: define("relation", "is"),
  isNot: define("relation", "isNot"),
};

/** The name of a filter operator. */
export type OperatorName = keyof typeof table;

/** Every filter operator by its name (contract C18). */
export const operators: Readonly<Record<OperatorName, Operator>> = Object.freeze(table);

/** Tells whether a segment of a name is a filter operator. */
export function isOperator(segment: string): segment is OperatorName {
  return Object.hasOwn(operators, segment);
}
