import { HttpError, httpErrors, isHttpError, type ValidationIssue } from "@servicekit/core";
import { encodingError } from "./encoding-error.js";

interface ForeignError {
  readonly status?: unknown;
  readonly statusCode?: unknown;
  readonly type?: unknown;
  readonly code?: unknown;
  readonly headers?: unknown;
  readonly limit?: unknown;
}

const pathText = "The path has an invalid percent encoding.";
const pathIssue: ValidationIssue = { in: "params", path: "", code: "BadRequest", message: pathText };

/** The errors of Express's body parsers, by their `type`. */
const byType: Readonly<Record<string, (cause: ForeignError) => HttpError>> = {
  "entity.too.large": (cause) => httpErrors.PayloadTooLarge(`The body is larger than ${cause.limit} bytes.`, { cause }),
  "parameters.too.many": (cause) => httpErrors.PayloadTooLarge("The form has too many fields.", { cause }),
  "encoding.unsupported": (cause) =>
    httpErrors.UnsupportedMediaType(encodingError.message, { cause, errors: [encodingError] }),
  "charset.unsupported": (cause) =>
    httpErrors.UnsupportedMediaType("The charset is not supported. Use UTF-8.", { cause }),
  "request.size.invalid": (cause) =>
    httpErrors.BadRequest("The length of the body does not match Content-Length.", { cause }),
  "request.aborted": (cause) => httpErrors.BadRequest("The request was aborted.", { cause }),
  "entity.verify.failed": (cause) => httpErrors.Forbidden("The body was rejected.", { cause }),
};

const byStatus: ReadonlyMap<number, (message?: string, options?: { cause: unknown }) => HttpError> = new Map(
  // Of several with one status, the first is general.
  Object.values(httpErrors)
    .reverse()
    .map((make) => [make().status, make]),
);

/**
 * Translates an error of Express, its body parsers or any library with a 4xx status; everything else is a 500 whose
 * text stays in the log (contract C3).
 */
export function toHttpError(error: unknown): HttpError {
  if (isHttpError(error)) return error;
  const foreign: ForeignError = typeof error === "object" && error !== null ? error : {};
  if (error instanceof URIError) return httpErrors.BadRequest(pathText, { cause: error, errors: [pathIssue] });
  const typed =
    typeof foreign.type === "string" && Object.hasOwn(byType, foreign.type) ? byType[foreign.type] : undefined;
  if (typed !== undefined) return typed(foreign);
  if (typeof foreign.code === "string" && /^(Z_|ERR__ERROR|ERR_BROTLI|ERR_ZLIB)/.test(foreign.code)) {
    if (foreign.status === 400) return httpErrors.BadRequest("The compressed body is invalid.", { cause: error });
  }
  const status = Number(foreign.status ?? foreign.statusCode);
  if (Number.isInteger(status) && status >= 400 && status < 500) {
    return (
      byStatus.get(status)?.(undefined, { cause: error }) ??
      new HttpError(status, "BadRequest", "The request cannot be processed.", { cause: error })
    );
  }
  return httpErrors.InternalServerError(undefined, { cause: error });
}
