import { HttpError, type ValidationIssue } from "./http-error.js";

/** The same error with other issues. */
export function withErrors(
  { status, code, message, cause, headers }: HttpError,
  errors: readonly ValidationIssue[],
): HttpError {
  return new HttpError(status, code, message, { errors, cause, ...(headers === undefined ? {} : { headers }) });
}
