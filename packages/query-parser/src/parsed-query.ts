/** What one value of a query can be: a date or a big integer only where a schema expects one. */
export type QueryScalar = string | number | boolean | null | bigint | Date;

/** A value, a list of values, or conditions. */
export type QueryValue = QueryScalar | readonly QueryScalar[] | ParsedQuery | readonly ParsedQuery[];

/** A parsed query: a plain object in the shape of an ORM filter. An operand is never an object (contract C18). */
export interface ParsedQuery {
  [key: string]: QueryValue;
}

/** Returns whether a value is conditions, rather than a value or a list. */
export function isConditions(value: unknown): value is ParsedQuery {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** The logical groups: the name in a query and the key in the filter (contract C9). */
export const groupKeys: ReadonlyMap<string, GroupKey> = new Map([
  ["and", "AND"],
  ["or", "OR"],
  ["not", "NOT"],
]);

/** The key of a logical group in a filter. */
export type GroupKey = "AND" | "OR" | "NOT";
