import { HttpError, type HttpErrorOptions, type ValidationIssue } from "./http-error.js";

/** One row of a table of errors: the status and the message used when the caller gives none. */
export interface ErrorDefinition {
  readonly status: number;
  readonly message: string;
  /** The place of the error in a request, unless the thrown error has a more specific one (contract C62). */
  readonly place?: Pick<ValidationIssue, "in" | "path">;
}

/** Makes one kind of error. */
export type ErrorFactory = (message?: string, options?: HttpErrorOptions) => HttpError;

/**
 * Turns a table of errors into factories, one for each error code.
 *
 * @example
 * const errors = defineErrors({ NotFound: { status: 404, message: "No resource exists at this path." } });
 * throw errors.NotFound("No user has the id 7.");
 */
export function defineErrors<const Table extends Readonly<Record<string, ErrorDefinition>>>(
  table: Table,
): { readonly [Code in keyof Table]: ErrorFactory } {
  const entries = Object.entries<ErrorDefinition>(table).map(([code, { status, message, place }]) => {
    if (!/^[A-Z][A-Za-z0-9]*$/.test(code)) throw new TypeError(`The error code ${code} is not UpperCamelCase.`);
    if (!Number.isInteger(status) || status < 400 || status > 599) {
      throw new TypeError(`The error code ${code} has the status ${status}; expected 400 to 599.`);
    }
    const make: ErrorFactory = (detail = message, options = {}) => {
      if (place === undefined || options.errors !== undefined) return new HttpError(status, code, detail, options);
      return new HttpError(status, code, detail, { ...options, errors: [{ ...place, code, message: detail }] });
    };
    return [code, make] as const;
  });
  return Object.freeze(Object.fromEntries(entries)) as { readonly [Code in keyof Table]: ErrorFactory };
}
