import { HttpError, type HttpErrorOptions } from "./http-error.js";

/** One row of a table of errors: the status and the message used when the caller gives none. */
export interface ErrorDefinition {
  readonly status: number;
  readonly message: string;
}

/** Makes one kind of error. */
export type ErrorFactory = (message?: string, options?: HttpErrorOptions) => HttpError;

/**
 * Turns a table of errors into factories, one for each code word.
 *
 * @example
 * const errors = defineErrors({ NotFound: { status: 404, message: "There is nothing here." } });
 * throw errors.NotFound("No user has the id 7.");
 */
export function defineErrors<const Table extends Readonly<Record<string, ErrorDefinition>>>(
  table: Table,
): { readonly [Code in keyof Table]: ErrorFactory } {
  const entries = Object.entries(table).map(([code, { status, message }]) => {
    if (!/^[A-Z][A-Za-z0-9]*$/.test(code)) throw new TypeError(`The error code ${code} is not UpperCamelCase.`);
    if (!Number.isInteger(status) || status < 400 || status > 599) {
      throw new TypeError(`The error code ${code} has the status ${status}; expected 400 to 599.`);
    }
    const make: ErrorFactory = (given, options) => new HttpError(status, code, given ?? message, options);
    return [code, make] as const;
  });
  return Object.freeze(Object.fromEntries(entries)) as { readonly [Code in keyof Table]: ErrorFactory };
}
