import type { QueryParserSettings } from "./options.js";
import type { QueryScalar } from "./parsed-query.js";
import type { ReadText } from "./read-text.js";

/**
 * Reads text as the number, boolean or null that it spells, where the switch is on; anything else, and whatever stood
 * in quotes, stays text (contract C19).
 */
export function readScalar(
  { text, quoted }: ReadText,
  settings: Pick<QueryParserSettings, "parseNumber" | "parseBoolean" | "parseNull">,
): QueryScalar {
  if (quoted) return text;
  if (settings.parseBoolean && (text === "true" || text === "false")) return text === "true";
  if (settings.parseNull && text === "null") return null;
  return settings.parseNumber && isCanonicalNumber(text) ? Number(text) : text;
}

/**
 * Tells the one spelling of a number from all others: what JavaScript itself prints for it, and only numbers that lose
 * nothing. `007`, `+5`, `0x10`, `1e400`, `-0` and `9007199254740993` are text (contract C19).
 */
export function isCanonicalNumber(text: string): boolean {
  const code = text.charCodeAt(0);
  if (code !== 45 && !(code >= 48 && code <= 57)) return false;
  const number = Number(text);
  return String(number) === text && (Number.isSafeInteger(number) || (Number.isFinite(number) && number % 1 !== 0));
}
