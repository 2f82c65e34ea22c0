import type { HttpError } from "@servicekit/errors";
import { type DatabaseFailure, isStaleStatement } from "./database-failure.js";
import type { ErrorContext } from "./error-context.js";
import { foreignKeyError } from "./foreign-key-error.js";
import { ormErrors } from "./orm-errors.js";
import { unavailable } from "./unavailable.js";
import { uniqueError } from "./unique-error.js";

type Make = (failure: DatabaseFailure, context: ErrorContext, cause: unknown) => HttpError;

const exact: Readonly<Record<string, Make>> = {
  "22001": (_failure, _context, cause) => ormErrors.ValueTooLong(undefined, { cause }),
  "22003": (_failure, _context, cause) => ormErrors.ValueOutOfRange(undefined, { cause }),
  "22025": (_failure, _context, cause) => ormErrors.InvalidValue("A search text ends in a lone backslash.", { cause }),
  "23001": foreignKeyError,
  "23502": (_failure, _context, cause) => ormErrors.RequiredValue(undefined, { cause }),
  "23503": foreignKeyError,
  "23505": uniqueError,
  "23514": (_failure, _context, cause) => ormErrors.CheckConstraint(undefined, { cause }),
  "23P01": (_failure, _context, cause) => ormErrors.ExclusionConstraint(undefined, { cause }),
  "25006": (_failure, _context, cause) => unavailable(cause, "The database takes no changes at the moment."),
  "42501": (_failure, _context, cause) => ormErrors.DatabaseError("The database role lacks a permission.", { cause }),
  "42P01": (_failure, _context, cause) => ormErrors.SchemaMismatch(undefined, { cause }),
  "42703": (_failure, _context, cause) => ormErrors.SchemaMismatch(undefined, { cause }),
  "54001": (_failure, _context, cause) => ormErrors.TooDeep(undefined, { cause }),
  "57014": (_failure, _context, cause) => ormErrors.DatabaseTimeout(undefined, { cause }),
  P0001: (_failure, _context, cause) => ormErrors.RejectedByDatabase(undefined, { cause }),
};

const classes: readonly [prefix: RegExp, make: (cause: unknown) => HttpError][] = [
  [/^22/, (cause) => ormErrors.InvalidValue(undefined, { cause })],
  [/^(40001|40P01)/, (cause) => ormErrors.WriteConflict(undefined, { cause })],
  [/^(08|25P03|25P04|28|3D|53|55P03|57P)/, (cause) => unavailable(cause)],
];

/** The answer for a code of PostgreSQL (its manual, appendix A); `undefined` for one that has none but a 500. */
export function sqlStateError(failure: DatabaseFailure, context: ErrorContext, cause: unknown): HttpError | undefined {
  const { sqlState } = failure;
  if (sqlState === undefined) return undefined;
  if (isStaleStatement(failure)) return unavailable(cause);
  const make = Object.hasOwn(exact, sqlState) ? exact[sqlState] : undefined;
  return make?.(failure, context, cause) ?? classes.find(([prefix]) => prefix.test(sqlState))?.[1](cause);
}
