import type { HttpError } from "@servicekit/core";
import { ormErrors } from "./orm-errors.js";

/** Seconds after which a client may retry (RFC 9110, section 10.2.3). */
const retryAfter = "2";

/** The 503 of a database that cannot be reached or is full. */
export function unavailable(cause: unknown, message?: string): HttpError {
  return ormErrors.DatabaseUnavailable(message, { cause, headers: { "Retry-After": retryAfter } });
}
