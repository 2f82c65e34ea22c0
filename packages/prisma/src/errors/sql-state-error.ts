import { type HttpError, httpErrors } from "@servicekit/core";
import { isHidden } from "../models/is-hidden.js";
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
  "22012": arithmeticError,
  "2201E": arithmeticError,
  "2201F": arithmeticError,
  "2201G": arithmeticError,
  "22025": (_failure, _context, cause) =>
    ormErrors.InvalidValue("A search text ends in a single backslash.", { cause }),
  "23001": foreignKeyError,
  "23502": (_failure, _context, cause) => ormErrors.RequiredValue(undefined, { cause }),
  "23503": foreignKeyError,
  "23505": uniqueError,
  "23514": (_failure, _context, cause) => ormErrors.CheckConstraint(undefined, { cause }),
  "23P01": (_failure, _context, cause) => ormErrors.ExclusionConstraint(undefined, { cause }),
  "25006": (_failure, _context, cause) => unavailable(cause, "The database is read-only at the moment."),
  "428C9": generatedColumn,
  "42501": permissionError,
  "42P01": (_failure, _context, cause) => ormErrors.SchemaMismatch(undefined, { cause }),
  "42703": (_failure, _context, cause) => ormErrors.SchemaMismatch(undefined, { cause }),
  "54000": (_failure, _context, cause) => ormErrors.ValueTooLong(undefined, { cause }),
  "54001": (_failure, _context, cause) => ormErrors.TooDeep(undefined, { cause }),
  "57014": (_failure, _context, cause) => ormErrors.DatabaseTimeout(undefined, { cause }),
};

const classes: readonly [prefix: RegExp, make: (cause: unknown) => HttpError][] = [
  [/^22/, (cause) => ormErrors.InvalidValue(undefined, { cause })],
  [/^23/, (cause) => ormErrors.CheckConstraint(undefined, { cause })],
  [/^40/, (cause) => ormErrors.WriteConflict(undefined, { cause })],
  [/^(08|25P03|25P04|28|3D|53|55P03|57P)/, (cause) => unavailable(cause)],
];

/**
 * The classes with which triggers, rules and functions reject a write; the server itself does not use them in a write.
 */
const rejections = /^(02|09|0A|20|21|27|2F|38|39|44|55)/;
/** The classes of PostgreSQL's manual, appendix A; every other code comes from a `RAISE` of the application. */
const standardClasses = /^(0[0-389ABFLPZ]|10|2[0-8BDF]|3[489BDF]|40|42|44|5[34578]|72|F0|HV|XX|P0(?!00[0-4]))/;

/** The response to a code of PostgreSQL (its manual, appendix A); `undefined` for one that is a 500. */
export function sqlStateError(failure: DatabaseFailure, context: ErrorContext, cause: unknown): HttpError | undefined {
  const { sqlState } = failure;
  if (sqlState === undefined || !/^[\dA-Z]{5}$/.test(sqlState)) return undefined;
  if (isStaleStatement(failure)) return unavailable(cause);
  const make = Object.hasOwn(exact, sqlState) ? exact[sqlState] : undefined;
  const known = make?.(failure, context, cause) ?? classes.find(([prefix]) => prefix.test(sqlState))?.[1](cause);
  return known ?? rejection(sqlState, failure, context, cause);
}

/** A read has no value of the client in an expression: that of a computed field or of a view has failed for a row. */
function arithmeticError(_failure: DatabaseFailure, { operation }: ErrorContext, cause: unknown): HttpError {
  return operation === "read"
    ? ormErrors.DatabaseError(undefined, { cause })
    : ormErrors.InvalidValue(undefined, { cause });
}

/** A write that the application's database code rejects: 400, with the text of `RAISE` if that is exposed. */
function rejection(
  sqlState: string,
  { databaseMessage }: DatabaseFailure,
  { operation, exposeRaisedMessages }: ErrorContext,
  cause: unknown,
): HttpError | undefined {
  const isRaised = !standardClasses.test(sqlState);
  if (!isRaised && (operation === "read" || !rejections.test(sqlState))) return undefined;
  return ormErrors.RejectedByDatabase(isRaised && exposeRaisedMessages === true ? databaseMessage : undefined, {
    cause,
  });
}

/** A row-level security policy rejects a row; otherwise the database role lacks a privilege. */
function permissionError({ databaseMessage = "" }: DatabaseFailure, _context: ErrorContext, cause: unknown): HttpError {
  if (/row-level security/.test(databaseMessage))
    return httpErrors.Forbidden("The database does not allow this change of this record.", { cause });
  return ormErrors.DatabaseError("The database role lacks a permission.", { cause });
}

/** Names the field of the column, if the message contains it. */
function generatedColumn(
  { databaseMessage = "" }: DatabaseFailure,
  { model }: ErrorContext,
  cause: unknown,
): HttpError {
  const message = "The database generates this value. Omit it.";
  const [, column] = /column "([^"]+)"/.exec(databaseMessage) ?? [];
  const field = model?.fields.find((one) => one.column === column);
  if (field === undefined || isHidden(field)) return ormErrors.InvalidValue(undefined, { cause });
  const errors = [{ in: "body", path: `/${field.name}`, code: "InvalidValue", message }] as const;
  return ormErrors.InvalidValue(message, { cause, errors });
}
