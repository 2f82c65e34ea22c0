import type { QueryParserSettings } from "../options.js";
import type { QueryScalar } from "../parsed-query.js";
import type { ReadText } from "./read-text.js";

/**
 * Reads text as the number, boolean or null that it spells, if the switch is on. Anything else, and everything in
 * quotes, stays text (contract C19).
 */
export function readScalar(
  { text, quoted }: ReadText,
  settings: Pick<QueryParserSettings, "parseNumber" | "parseBoolean" | "parseNull">,
): QueryScalar {
  if (quoted) return text;
  if (settings.parseBoolean && (text === "true" || text === "false")) return text === "true";
  if (settings.parseNull && text === "null") return null;
  return settings.parseNumber && isLosslessNumber(text) ? Number(text) : text;
}

/**
 * Returns whether text is a decimal number that JavaScript represents without losing a digit: `12`, `1.50`, `.5`,
 * `1e5`. Numbers that would lose digits (`9007199254740993`, `1e400`, `-0`) and text that only looks like a number
 * (`007`, `+5`, `0x10`) are text (contract C19).
 */
export function isLosslessNumber(text: string): boolean {
  const code = text.charCodeAt(0);
  if (code !== 45 && code !== 46 && !(code >= 48 && code <= 57)) return false;
  const number = Number(text);
  if (!Number.isFinite(number) || (Number.isInteger(number) && !Number.isSafeInteger(number))) return false;
  const printed = String(number);
  return printed === text || (!Object.is(number, -0) && decimalOf(text) === (decimalOf(printed) ?? ""));
}

const decimalPattern = /^(-?)(0|[1-9]\d*)?(?:\.(\d+))?(?:e([+-]?\d{1,4}))?$/i;

/**
 * Returns the value of a decimal number as its digits and an exponent, equal for all its spellings; `undefined` for
 * other text.
 */
function decimalOf(text: string): string | undefined {
  const [, sign = "", integer, fraction = "", exponent = "0"] = decimalPattern.exec(text) ?? [];
  if (integer === undefined && fraction === "") return undefined;
  const digits = (integer ?? "") + fraction;
  let first = 0;
  while (digits[first] === "0") first++;
  let end = digits.length;
  while (end > first && digits[end - 1] === "0") end--;
  if (first === end) return "0";
  return `${sign}${digits.slice(first, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}
