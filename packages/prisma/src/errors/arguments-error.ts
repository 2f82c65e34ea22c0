import type { HttpError } from "@servicekit/core";
import type { ErrorContext } from "./error-context.js";
import { ormErrors } from "./orm-errors.js";

/**
 * Arguments that Prisma refuses are a mistake of the application: what clients send is held against the model before it
 * becomes an argument (contract C62). The message is for the log.
 */
export function argumentsError(cause: Error, { model, operation }: ErrorContext): HttpError {
  const what = model === undefined ? "a query" : `the ${operation} of ${model.name}`;
  // Above its last line Prisma quotes the arguments, which may hold secrets.
  const said = cause.message.trim().split("\n").at(-1) ?? "";
  return ormErrors.InvalidArguments(`Prisma refuses the arguments of ${what}: ${said}`, { cause });
}
