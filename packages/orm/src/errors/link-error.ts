import type { HttpError } from "@servicekit/errors";
import { ormErrors } from "./orm-errors.js";
import { unavailable } from "./unavailable.js";

const messages: readonly [pattern: RegExp, make: (cause: unknown) => HttpError][] = [
  [/^timeout exceeded when trying to connect/i, (cause) => unavailable(cause, "No database connection is free.")],
  [/connection timeout/i, (cause) => ormErrors.DatabaseTimeout("The database did not answer in time.", { cause })],
  [/^query read timeout/i, (cause) => ormErrors.DatabaseTimeout(undefined, { cause })],
  [/not queryable|connection terminated|client (was closed|has already been)/i, (cause) => unavailable(cause)],
];

const socketCodes = new Set(
  "EPIPE ECONNRESET ECONNREFUSED ECONNABORTED EHOSTUNREACH EHOSTDOWN ENETUNREACH ENETDOWN ENOTFOUND EAI_AGAIN EMFILE ENFILE".split(
    " ",
  ),
);

/** The answer for a failure of the pool or the link, which comes as a plain `Error`; `undefined` for any other error. */
export function linkError(error: unknown): HttpError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ETIMEDOUT") return ormErrors.DatabaseTimeout(undefined, { cause: error });
  if (typeof code === "string" && socketCodes.has(code)) return unavailable(error);
  return messages.find(([pattern]) => pattern.test(error.message))?.[1](error);
}
