import { defineErrors, type HttpError } from "@servicekit/core";
import { toJsonPointer } from "@servicekit/core/internal";

/** Every way in which a query is refused (contract C3, C9, C18, C20). */
export const queryErrors = defineErrors({
  MalformedQuery: { status: 400, message: "The query cannot be read." },
  ForbiddenKey: { status: 400, message: "The query names a key that is never allowed." },
  QueryLimitExceeded: { status: 400, message: "The query is too large." },
  UriTooLong: { status: 414, message: "The URL is too long." },
  EmptyGroup: { status: 400, message: "A logical group of the query is empty." },
  ConflictingFilters: { status: 400, message: "Two parts of the query contradict each other." },
  InvalidOperand: { status: 400, message: "A filter's value does not fit its operator." },
});

/** Makes the error that names the parameter at fault; no parameter means the query as a whole. */
export function refuse(code: keyof typeof queryErrors, parameter: string | undefined, message: string): HttpError {
  const path = parameter === undefined ? "" : toJsonPointer([shorten(parameter)]);
  return queryErrors[code](message, { errors: [{ in: "query", path, code, message }] });
}

/** A parameter's name inside a sentence: quoted, and cut where a hostile one would fill the answer. */
export function quote(parameter: string): string {
  return JSON.stringify(shorten(parameter));
}

function shorten(name: string): string {
  return name.length > 100 ? `${name.slice(0, 100).replace(/[\ud800-\udbff]$/, "")}…` : name;
}
