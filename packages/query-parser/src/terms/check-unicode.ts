import { refuse } from "../query-errors.js";

/**
 * Refuses half of a surrogate pair: nothing could send or store it as UTF-8.
 *
 * @throws {HttpError} 400 `MalformedQuery`
 */
export function checkUnicode(text: string, parameter?: string): void {
  if (/\p{Surrogate}/u.test(text)) throw refuse("MalformedQuery", parameter, "The query has text that is not Unicode.");
}
