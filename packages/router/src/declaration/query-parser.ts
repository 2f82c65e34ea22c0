import { checkShape, isBoolean } from "./check-shape.js";

/** Which parts of the query syntax this route reads (contract C19); each is on by default. */
export interface QueryParserConfig {
  readonly parseDoubleUnderscore?: boolean;
  readonly parseNumber?: boolean;
  readonly parseBoolean?: boolean;
  readonly parseNull?: boolean;
  readonly parseArray?: boolean;
}

/** The faults of a `queryParser` value, in words. */
export function checkQueryParser(value: unknown): string[] {
  if (value === false) return [];
  return checkShape(value, {
    parseDoubleUnderscore: isBoolean,
    parseNumber: isBoolean,
    parseBoolean: isBoolean,
    parseNull: isBoolean,
    parseArray: isBoolean,
  });
}
