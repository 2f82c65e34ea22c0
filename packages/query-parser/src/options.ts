import { fillLimits, type QueryLimits } from "./query-limits.js";

/** The switches of the generic parser, and its limits (specification, "queryParser object"). */
export interface QueryParserOptions {
  /** Whether `__` separates the segments of a name, as brackets do. @default true */
  readonly parseDoubleUnderscore?: boolean | undefined;
  /** Whether a canonical number becomes a number (contract C19). @default true */
  readonly parseNumber?: boolean | undefined;
  /** Whether `true` and `false` become booleans. @default true */
  readonly parseBoolean?: boolean | undefined;
  /** Whether `null` becomes null. @default true */
  readonly parseNull?: boolean | undefined;
  /** Whether values are split at commas. @default true */
  readonly parseArray?: boolean | undefined;
  /** The limits that differ from `defaultQueryLimits` (contract C20). */
  readonly limits?: Partial<QueryLimits> | undefined;
}

/** {@link QueryParserOptions} with every default filled in. */
export interface QueryParserSettings {
  readonly parseDoubleUnderscore: boolean;
  readonly parseNumber: boolean;
  readonly parseBoolean: boolean;
  readonly parseNull: boolean;
  readonly parseArray: boolean;
  readonly limits: QueryLimits;
}

/** Adds the defaults. */
export function fillOptions(options: QueryParserOptions = {}): QueryParserSettings {
  return {
    parseDoubleUnderscore: options.parseDoubleUnderscore ?? true,
    parseNumber: options.parseNumber ?? true,
    parseBoolean: options.parseBoolean ?? true,
    parseNull: options.parseNull ?? true,
    parseArray: options.parseArray ?? true,
    limits: fillLimits(options.limits),
  };
}
