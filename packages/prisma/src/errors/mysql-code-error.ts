import type { HttpError } from "@servicekit/core";
import { isHidden } from "../models/is-hidden.js";
import type { DatabaseFailure } from "./database-failure.js";
import type { ErrorContext } from "./error-context.js";
import { foreignKeyError } from "./foreign-key-error.js";
import { ormErrors } from "./orm-errors.js";
import { unavailable } from "./unavailable.js";
import { uniqueError } from "./unique-error.js";

type Make = (failure: DatabaseFailure, context: ErrorContext, cause: unknown) => HttpError;

const required: Make = (_failure, _context, cause) => ormErrors.RequiredValue(undefined, { cause });
const tooLong: Make = (_failure, _context, cause) => ormErrors.ValueTooLong(undefined, { cause });
const outOfRange: Make = (_failure, _context, cause) => ormErrors.ValueOutOfRange(undefined, { cause });
const invalid: Make = (_failure, _context, cause) => ormErrors.InvalidValue(undefined, { cause });
const check: Make = (_failure, _context, cause) => ormErrors.CheckConstraint(undefined, { cause });
const conflict: Make = (_failure, _context, cause) => ormErrors.WriteConflict(undefined, { cause });
const timeout: Make = (_failure, _context, cause) => ormErrors.DatabaseTimeout(undefined, { cause });
const schemaMismatch: Make = (_failure, _context, cause) => ormErrors.SchemaMismatch(undefined, { cause });
const noPermission: Make = (_failure, _context, cause) =>
  ormErrors.DatabaseError("The database user lacks a permission.", { cause });
const readOnly: Make = (_failure, _context, cause) => unavailable(cause, "The database is read-only at the moment.");
const full: Make = (_failure, _context, cause) => unavailable(cause, "The storage of the database is full.");
const unreachable: Make = (_failure, _context, cause) => unavailable(cause);

/** The codes of MySQL and MariaDB, and those of the driver from 45001. */
const byCode: Readonly<Record<number, Make>> = {
  1020: conflict,
  1021: full,
  1040: unreachable,
  1044: unreachable,
  1045: unreachable,
  1048: required,
  1049: unreachable,
  1053: unreachable,
  1054: schemaMismatch,
  1062: uniqueError,
  1114: full,
  1142: noPermission,
  1143: noPermission,
  1146: schemaMismatch,
  1153: tooLong,
  1203: unreachable,
  1205: timeout,
  1213: conflict,
  1216: foreignKeyError,
  1217: foreignKeyError,
  1226: unreachable,
  1263: required,
  1264: outOfRange,
  1265: invalid,
  1290: readOnly,
  1292: invalid,
  1317: timeout,
  1364: required,
  1366: invalid,
  1390: (_failure, _context, cause) => ormErrors.QueryTooLarge(undefined, { cause }),
  1406: tooLong,
  1411: invalid,
  1436: (_failure, _context, cause) => ormErrors.TooDeep(undefined, { cause }),
  1451: foreignKeyError,
  1452: foreignKeyError,
  1586: uniqueError,
  1644: raised,
  1690: outOfRange,
  1698: unreachable,
  1792: readOnly,
  1836: readOnly,
  1906: generatedColumn,
  1927: unreachable,
  1969: timeout,
  3024: timeout,
  3105: generatedColumn,
  3140: invalid,
  3819: check,
  4025: check,
  45012: timeout,
  45026: timeout,
  45028: (_failure, _context, cause) => unavailable(cause, "No database connection is free."),
  45046: tooLong,
};

/** The response to a code of MySQL or MariaDB; `undefined` for one that Prisma's code describes, or that is a 500. */
export function mysqlCodeError(failure: DatabaseFailure, context: ErrorContext, cause: unknown): HttpError | undefined {
  const { mysqlCode: code } = failure;
  if (code === undefined) return undefined;
  const make = byCode[code];
  if (make !== undefined) return make(failure, context, cause);
  // Other codes of the driver, and those of the operating system, are about the connection.
  return code < 1_000 || code > 45_000 ? unavailable(cause) : undefined;
}

/** A trigger rejects the write by `SIGNAL`. */
function raised({ databaseMessage }: DatabaseFailure, { exposeRaisedMessages }: ErrorContext, cause: unknown) {
  return ormErrors.RejectedByDatabase(exposeRaisedMessages === true ? databaseMessage : undefined, { cause });
}

/** Names the field of the column, if the message contains it. */
function generatedColumn({ databaseMessage = "" }: DatabaseFailure, { model }: ErrorContext, cause: unknown) {
  const message = "The database generates this value. Omit it.";
  const [, column] = /column '([^']+)'/.exec(databaseMessage) ?? [];
  const field = model?.fields.find((one) => one.column === column);
  if (field === undefined || isHidden(field)) return ormErrors.InvalidValue(undefined, { cause });
  const errors = [{ in: "body", path: `/${field.name}`, code: "InvalidValue", message }] as const;
  return ormErrors.InvalidValue(message, { cause, errors });
}
