import { type FieldFault, HttpError, httpErrors, isHttpError } from "@servicekit/core";
import { encodingFault } from "./encoding-fault.js";

interface ForeignError {
  readonly status?: unknown;
  readonly statusCode?: unknown;
  readonly type?: unknown;
  readonly code?: unknown;
  readonly headers?: unknown;
  readonly limit?: unknown;
}

const pathText = "The path has a percent code that cannot be read.";
const pathFault: FieldFault = { in: "params", path: "", code: "BadRequest", message: pathText };

/** What the errors of Express's body parsers mean, by their `type`. */
const byType: Readonly<Record<string, (cause: ForeignError) => HttpError>> = {
  "entity.too.large": (cause) => httpErrors.PayloadTooLarge(`The body is larger than ${cause.limit} bytes.`, { cause }),
  "parameters.too.many": (cause) => httpErrors.PayloadTooLarge("The form has too many fields.", { cause }),
  "encoding.unsupported": (cause) =>
    httpErrors.UnsupportedMediaType(encodingFault.message, { cause, errors: [encodingFault] }),
  "charset.unsupported": (cause) => httpErrors.UnsupportedMediaType("The charset is not taken; send UTF-8.", { cause }),
  "request.size.invalid": (cause) =>
    httpErrors.BadRequest("The body is not as long as Content-Length says.", { cause }),
  "request.aborted": (cause) => httpErrors.BadRequest("The request was aborted.", { cause }),
  "entity.verify.failed": (cause) => httpErrors.Forbidden("The body was not accepted.", { cause }),
};

const byStatus: ReadonlyMap<number, (message?: string, options?: { cause: unknown }) => HttpError> = new Map(
  // Of several with one status the first speaks in general.
  Object.values(httpErrors)
    .reverse()
    .map((make) => [make().status, make]),
);

/**
 * Translates an error of Express, its body parsers or any library that speaks of a 4xx status; everything else is a 500
 * whose text stays in the log (contract C3).
 */
export function toHttpError(error: unknown): HttpError {
  if (isHttpError(error)) return error;
  const foreign: ForeignError = typeof error === "object" && error !== null ? error : {};
  if (error instanceof URIError) return httpErrors.BadRequest(pathText, { cause: error, errors: [pathFault] });
  const typed =
    typeof foreign.type === "string" && Object.hasOwn(byType, foreign.type) ? byType[foreign.type] : undefined;
  if (typed !== undefined) return typed(foreign);
  if (typeof foreign.code === "string" && /^(Z_|ERR__ERROR|ERR_BROTLI|ERR_ZLIB)/.test(foreign.code)) {
    if (foreign.status === 400) return httpErrors.BadRequest("The compressed body cannot be read.", { cause: error });
  }
  const status = Number(foreign.status ?? foreign.statusCode);
  if (Number.isInteger(status) && status >= 400 && status < 500) {
    return (
      byStatus.get(status)?.(undefined, { cause: error }) ??
      new HttpError(status, "BadRequest", "The request cannot be carried out.", { cause: error })
    );
  }
  return httpErrors.InternalServerError(undefined, { cause: error });
}
