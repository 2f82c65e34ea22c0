import { reject } from "../query-errors.js";

/**
 * Rejects lone surrogates, which UTF-8 cannot encode.
 *
 * @throws {HttpError} 400 `MalformedQuery`
 */
export function checkUnicode(text: string, parameter?: string): void {
  if (/\p{Surrogate}/u.test(text))
    throw reject("MalformedQuery", parameter, "The query contains text that is not valid Unicode.");
}
