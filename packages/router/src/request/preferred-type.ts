import type { Request } from "express";

/** The parameters of a media type without its weight: a charset excludes no media type. */
const parameters = /;(?!\s*q\s*=)[^;,="]*(=("[^"]*"|[^;,"]*))?/gi;

/**
 * The media type that the `Accept` header of a request prefers (RFC 9110, section 12.5.1); of equally preferred ones the
 * first.
 *
 * @returns `undefined` if the header excludes all of them
 */
export function preferredType(request: Request, types: readonly string[]): string | undefined {
  const { accept } = request.headers;
  if (accept === undefined) return types[0];
  const withoutParameters = { headers: { accept: accept.replace(parameters, "") } } as Request;
  const found = request.accepts.call(withoutParameters, ...types) as string | false;
  return found === false ? undefined : found;
}
