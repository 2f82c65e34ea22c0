import { defineErrors, type HttpError } from "@servicekit/core";
import { toJsonPointer } from "@servicekit/core/internal";

/** Every error of a query (contract C3, C9, C18, C20). */
export const queryErrors = defineErrors({
  MalformedQuery: { status: 400, message: "The query cannot be read." },
  ForbiddenKey: { status: 400, message: "The query contains a forbidden key." },
  QueryLimitExceeded: { status: 400, message: "The query is too large." },
  UriTooLong: { status: 414, message: "The URL is too long." },
  EmptyGroup: { status: 400, message: "A logical group of the query is empty." },
  ConflictingFilters: { status: 400, message: "Two parts of the query contradict each other." },
  InvalidOperand: { status: 400, message: "The value of a filter does not fit its operator." },
});

/** Creates the error that names the parameter; without a parameter, the error concerns the query itself. */
export function reject(code: keyof typeof queryErrors, parameter: string | undefined, message: string): HttpError {
  const path = parameter === undefined ? "" : toJsonPointer([shorten(parameter)]);
  return queryErrors[code](message, { errors: [{ in: "query", path, code, message }] });
}

/** A parameter's name in a sentence: quoted, and truncated so that a hostile one does not fill the response. */
export function quote(parameter: string): string {
  return JSON.stringify(shorten(parameter));
}

function shorten(name: string): string {
  return name.length > 100 ? `${name.slice(0, 100).replace(/[\ud800-\udbff]$/, "")}…` : name;
}
