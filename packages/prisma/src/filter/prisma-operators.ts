import type { FieldOperator } from "../conditions/operators-of.js";

const exact: readonly FieldOperator[] = [
  "equals",
  "not",
  "in",
  "notIn",
  "lt",
  "lte",
  "gt",
  "gte",
  "contains",
  "startsWith",
  "endsWith",
  "isNull",
];

/** Operators by the names of Prisma Client. */
export const exactOperators: ReadonlyMap<string, FieldOperator> = new Map(exact.map((name) => [name, name]));

/** The same with `mode: "insensitive"`. */
export const looseOperators: ReadonlyMap<string, FieldOperator> = new Map([
  ["equals", "iequals"],
  ["contains", "icontains"],
  ["startsWith", "istartsWith"],
  ["endsWith", "iendsWith"],
]);
