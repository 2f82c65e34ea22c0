import type { HttpError } from "@servicekit/core";
import { ormErrors } from "./orm-errors.js";
import { unavailable } from "./unavailable.js";

interface Worded {
  readonly pattern: RegExp;
  /** Whether only the PostgreSQL driver has this error message. */
  readonly isOfDriver: boolean;
  make(cause: unknown): HttpError;
}

const messages: readonly Worded[] = [
  {
    pattern: /^timeout exceeded when trying to connect/i,
    isOfDriver: true,
    make: (cause) => unavailable(cause, "No database connection is free."),
  },
  {
    pattern: /^connection terminated due to connection timeout/i,
    isOfDriver: true,
    make: (cause) => ormErrors.DatabaseTimeout("The database did not respond in time.", { cause }),
  },
  {
    pattern: /connection timeout/i,
    isOfDriver: false,
    make: (cause) => ormErrors.DatabaseTimeout("The database did not respond in time.", { cause }),
  },
  {
    pattern: /^query read timeout/i,
    isOfDriver: true,
    make: (cause) => ormErrors.DatabaseTimeout(undefined, { cause }),
  },
  { pattern: /does not support SSL connections/i, isOfDriver: true, make: (cause) => unavailable(cause) },
  { pattern: /^connection terminated/i, isOfDriver: true, make: (cause) => unavailable(cause) },
  {
    pattern: /not queryable|connection terminated|client (was closed|has already been)/i,
    isOfDriver: false,
    make: (cause) => unavailable(cause),
  },
];

const socketCodes = new Set(
  "EPIPE ECONNRESET ECONNREFUSED ECONNABORTED EHOSTUNREACH EHOSTDOWN ENETUNREACH ENETDOWN ENOTFOUND EAI_AGAIN EMFILE ENFILE".split(
    " ",
  ),
);

/** Node's codes for a certificate that TLS rejects. */
const certificateCode = /SELF_SIGNED|^CERT_|_CERT_|_CERT$|UNABLE_TO_(GET_ISSUER|VERIFY)/;

/**
 * The response to a failure of the pool or the connection, which is a plain `Error`; `undefined` for any other error.
 */
export function linkError(error: unknown): HttpError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ETIMEDOUT") return ormErrors.DatabaseTimeout(undefined, { cause: error });
  if (typeof code === "string" && (socketCodes.has(code) || certificateCode.test(code))) return unavailable(error);
  return messages.find(({ pattern }) => pattern.test(error.message))?.make(error);
}

/** The same for an error of the driver only, among errors of any origin. */
export function poolError(error: unknown): HttpError | undefined {
  if (!(error instanceof Error)) return undefined;
  return messages.find(({ pattern, isOfDriver }) => isOfDriver && pattern.test(error.message))?.make(error);
}
