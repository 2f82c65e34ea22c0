import { type HttpError, isHttpError } from "@servicekit/errors";
import { readFailure } from "./database-failure.js";
import type { ErrorContext } from "./error-context.js";
import { linkError } from "./link-error.js";
import { ormErrors } from "./orm-errors.js";
import { prismaCodeError } from "./prisma-code-error.js";
import { sqlStateError } from "./sql-state-error.js";

/**
 * Turns an error of Prisma, of its driver or of the link to the database into its HTTP answer (contract C17). The
 * error itself becomes the `cause`, for the log; nothing of its text is shown to a client.
 *
 * @throws the error itself when it is none of these: a fault of the service, which is a 500.
 */
export function toHttpError(error: unknown, context: ErrorContext): HttpError {
  if (isHttpError(error)) return error;
  const failure = readFailure(error);
  const found =
    failure === undefined
      ? linkError(error)
      : (sqlStateError(failure, context, error) ??
        prismaCodeError(failure, context, error) ??
        linkError(error) ??
        inputError(error, context));
  if (found === undefined) throw error;
  return found;
}

/** Arguments that Prisma refuses, or cannot walk through. */
function inputError(error: unknown, { operation }: ErrorContext): HttpError | undefined {
  if (!(error instanceof Error)) return undefined;
  const isRefused = error.name === "PrismaClientValidationError";
  if (error.name === "PrismaClientUnknownRequestError" && /recursion limit/i.test(error.message)) {
    return ormErrors.TooDeep(undefined, { cause: error });
  }
  if (!isRefused) return undefined;
  return operation === "read"
    ? ormErrors.InvalidQuery(undefined, { cause: error })
    : ormErrors.InvalidBody(undefined, { cause: error });
}
