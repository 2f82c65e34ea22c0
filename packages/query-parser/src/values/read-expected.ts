import type { QueryParserSettings } from "../options.js";
import type { QueryScalar } from "../parsed-query.js";
import type { ExpectedValue } from "./expected-value.js";
import { isLosslessNumber, readScalar } from "./read-scalar.js";
import type { ReadText } from "./read-text.js";

/** The scalars that are recognized in text by their looks. */
export type ScalarSwitches = Pick<QueryParserSettings, "parseNumber" | "parseBoolean" | "parseNull">;

/** As JSON writes a number, and with the trailing zeros that some clients write: `1.50`. */
const numberPattern = /^-?(0|[1-9]\d{0,399})(\.\d{1,400})?(e[+-]?\d{1,3})?$/i;

/**
 * Reads text as the expected type (contract C63). If text is also expected, the looks decide as far as the switches
 * allow. Text that cannot be read is returned unchanged, for the validation to reject.
 */
export function readExpected(
  read: ReadText,
  expected: ExpectedValue | undefined,
  switches: ScalarSwitches,
): QueryScalar {
  if (expected === undefined) return readScalar(read, switches);
  const { text, quoted } = read;
  const { scalars, literals } = expected;
  const literal = literals?.get(text);
  if (literal !== undefined && !(quoted && literal !== text)) return literal;
  if (quoted || scalars === undefined) return text;
  const maybeText = scalars.has("text");
  const looks = (on: boolean): boolean => !maybeText || on;
  if (scalars.has("boolean") && (text === "true" || text === "false") && looks(switches.parseBoolean)) {
    return text === "true";
  }
  if (scalars.has("null") && text === "null" && looks(switches.parseNull)) return null;
  if (scalars.has("number") && looks(switches.parseNumber)) {
    if (maybeText ? isLosslessNumber(text) : isExactNumber(text)) return Number(text);
  }
  // No switch recognizes these by their looks.
  if (maybeText) return text;
  if (scalars.has("bigint") && integerPattern.test(text)) return BigInt(text);
  return (scalars.has("date") ? readDate(text) : undefined) ?? text;
}

const integerPattern = /^-?(0|[1-9]\d{0,399})$/;

/** ISO 8601, a date or a date-time; UTC without an offset. */
const datePattern = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:\d{2})?)?$/i;

function readDate(text: string): Date | undefined {
  const [, day, time = "00:00", zone = "Z"] = datePattern.exec(text) ?? [];
  if (day === undefined) return undefined;
  // JavaScript reads 30 February as a day in March.
  const start = new Date(`${day}T00:00Z`);
  if (Number.isNaN(start.getTime()) || !start.toISOString().startsWith(day)) return undefined;
  const date = new Date(`${day}T${time}${zone.toUpperCase()}`);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** An integer must preserve every digit and a small number must not become 0; otherwise it stays text. */
function isExactNumber(text: string): boolean {
  if (!numberPattern.test(text)) return false;
  const number = Number(text);
  if (number === 0 && /^[^e]*[1-9]/i.test(text)) return false;
  return (
    Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number) || !/^-?\d+$/.test(text))
  );
}
