import type { HttpError } from "@servicekit/core";
import type { DatabaseFailure } from "./database-failure.js";
import type { ErrorContext } from "./error-context.js";
import { ormErrors } from "./orm-errors.js";
import { unavailable } from "./unavailable.js";

/** SQLite's primary result codes. */
const primary: Readonly<Record<number, (cause: unknown) => HttpError>> = {
  5: (cause) => unavailable(cause, "Another process writes to the database."),
  6: (cause) => unavailable(cause, "Another process writes to the database."),
  8: (cause) => unavailable(cause, "The database is read-only at the moment."),
  9: (cause) => ormErrors.DatabaseTimeout(undefined, { cause }),
  10: (cause) => unavailable(cause),
  13: (cause) => unavailable(cause, "The storage of the database is full."),
  14: (cause) => unavailable(cause),
  18: (cause) => ormErrors.ValueTooLong(undefined, { cause }),
  20: (cause) => ormErrors.InvalidValue(undefined, { cause }),
  25: (cause) => ormErrors.ValueOutOfRange("SQLite cannot store NaN and the infinities.", { cause }),
};

const constraintCheck = 275;
const constraintTrigger = 1811;

/** The response to a code of SQLite; `undefined` for one that Prisma's code describes, or that is a 500. */
export function sqliteCodeError(
  { sqlState, databaseMessage = "" }: DatabaseFailure,
  { exposeRaisedMessages }: ErrorContext,
  cause: unknown,
): HttpError | undefined {
  if (sqlState === undefined || !/^\d{1,4}$/.test(sqlState)) return undefined;
  const code = Number(sqlState);
  if (/integer overflow$/.test(databaseMessage))
    return ormErrors.ValueOutOfRange("A sum is larger than SQLite computes.", { cause });
  if (code === constraintCheck) return ormErrors.CheckConstraint(undefined, { cause });
  // A trigger raises an error with the code that a foreign key has that restricts.
  if (code === constraintTrigger && !/FOREIGN KEY constraint failed$/.test(databaseMessage)) {
    const raised = databaseMessage.replace(/^SQLITE_CONSTRAINT(_\w+)?: /, "");
    return ormErrors.RejectedByDatabase(exposeRaisedMessages === true ? raised : undefined, { cause });
  }
  return primary[code & 0xff]?.(cause);
}
