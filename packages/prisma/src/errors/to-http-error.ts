import { HttpError, isHttpError } from "@servicekit/core";
import { argumentsError } from "./arguments-error.js";
import { readFailure } from "./database-failure.js";
import type { ErrorContext } from "./error-context.js";
import { linkError, poolError } from "./link-error.js";
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
  const found = translate(error, context, linkError);
  if (found === undefined) throw error;
  return found;
}

/**
 * The same for an error that anything may have thrown: a refused connection is the database's only where its driver says
 * so, and what is not the database's is `undefined`.
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
  const whole = { ...context, model };
  const found =
    sqlStateError(failure, whole, error) ??
    prismaCodeError(failure, whole, error) ??
    linkError(error) ??
    inputError(error, whole);
  return found && inPlaceOf(context, found);
}

/** Arguments that Prisma refuses, or cannot walk through. */
function inputError(error: unknown, context: ErrorContext): HttpError | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.name === "PrismaClientUnknownRequestError" && /recursion limit/i.test(error.message)) {
    return ormErrors.TooDeep(undefined, { cause: error });
  }
  return error.name === "PrismaClientValidationError" ? argumentsError(error, context) : undefined;
}

/** A read has no body, and a delete says by its path what it means (contract C62). */
function inPlaceOf({ operation }: ErrorContext, error: HttpError): HttpError {
  const { status, code, message, errors, headers, cause } = error;
  if (operation !== "read" && operation !== "delete") return error;
  const place = operation === "read" ? "query" : "params";
  if (errors?.some((fault) => fault.in === "body") !== true) return error;
  return new HttpError(status, code, message, {
    cause,
    ...(headers === undefined ? {} : { headers }),
    errors: errors.map((fault) => (fault.in === "body" ? { ...fault, in: place, path: "" } : fault)),
  });
}
