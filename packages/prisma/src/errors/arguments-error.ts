import type { HttpError } from "@servicekit/core";
import type { ErrorContext } from "./error-context.js";
import { ormErrors } from "./orm-errors.js";

/**
 * Arguments that Prisma rejects are a bug of the application, because client input is validated against the model first
 * (contract C62). The message is for the log.
 */
export function argumentsError(cause: Error, { model, operation }: ErrorContext): HttpError {
  const what = model === undefined ? "a query" : `the ${operation} of ${model.name}`;
  // Above its last line Prisma quotes the arguments, which may contain secrets.
  const text = cause.message.trim().split("\n").at(-1) ?? "";
  return ormErrors.InvalidArguments(`Prisma rejects the arguments of ${what}: ${text}`, { cause });
}
