import { HttpError, isHttpError } from "@servicekit/core";
import { argumentsError } from "./arguments-error.js";
import { readFailure } from "./database-failure.js";
import type { ErrorContext } from "./error-context.js";
import { linkError, poolError } from "./link-error.js";
import { mysqlCodeError } from "./mysql-code-error.js";
import { ormErrors } from "./orm-errors.js";
import { prismaCodeError } from "./prisma-code-error.js";
import { sqlStateError } from "./sql-state-error.js";
import { sqliteCodeError } from "./sqlite-code-error.js";

/**
 * Turns an error of Prisma, of its driver or of the database connection into its HTTP response (contract C17). The
 * error itself becomes the `cause`, for the log; its text is never sent to a client.
 *
 * @throws the error itself if it is none of these: a bug of the service, which is a 500.
 */
export function toHttpError(error: unknown, context: ErrorContext): HttpError {
  if (isHttpError(error)) return error;
  const found = translate(error, context, linkError);
  if (found === undefined) throw error;
  return found;
}

/**
 * The same for an error of any origin: a refused connection is the database's only if its driver reports it; other
 * errors give `undefined`.
 */
export function databaseError(error: unknown, context: ErrorContext): HttpError | undefined {
  return translate(error, context, poolError);
}

function translate(
  error: unknown,
  context: ErrorContext,
  ofLink: (error: unknown) => HttpError | undefined,
): HttpError | undefined {
  const failure = readFailure(error);
  if (failure === undefined) return ofLink(error);
  const model = context.model ?? context.models?.get(failure.model ?? "");
  const known = { ...context, model };
  const isMysql = failure.mysqlCode !== undefined;
  const found =
    (isMysql
      ? mysqlCodeError(failure, known, error)
      : (sqlStateError(failure, known, error) ?? sqliteCodeError(failure, known, error))) ??
    prismaCodeError(failure, known, error) ??
    linkError(error) ??
    inputError(error, known);
  return found && inPlaceOf(context, found);
}

/** Arguments that Prisma rejects or cannot traverse. */
function inputError(error: unknown, context: ErrorContext): HttpError | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.name === "PrismaClientUnknownRequestError" && /recursion limit/i.test(error.message)) {
    return ormErrors.TooDeep(undefined, { cause: error });
  }
  return error.name === "PrismaClientValidationError" ? argumentsError(error, context) : undefined;
}

/** A read has no body, and a delete is described by its path (contract C62). */
function inPlaceOf({ operation }: ErrorContext, error: HttpError): HttpError {
  const { status, code, message, errors, headers, cause } = error;
  if (operation !== "read" && operation !== "delete") return error;
  const place = operation === "read" ? "query" : "params";
  if (errors?.some((issue) => issue.in === "body") !== true) return error;
  return new HttpError(status, code, message, {
    cause,
    ...(headers === undefined ? {} : { headers }),
    errors: errors.map((issue) => (issue.in === "body" ? { ...issue, in: place, path: "" } : issue)),
  });
}
