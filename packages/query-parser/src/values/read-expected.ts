import type { QueryParserSettings } from "../options.js";
import type { QueryScalar } from "../parsed-query.js";
import type { ExpectedValue } from "./expected-value.js";
import { isLosslessNumber, readScalar } from "./read-scalar.js";
import type { ReadText } from "./read-text.js";

/** Which scalars are told from text by their looks. */
export type ScalarSwitches = Pick<QueryParserSettings, "parseNumber" | "parseBoolean" | "parseNull">;

/** As JSON writes a number, and with zeros where a client fills up places: `1.50`. */
const numberPattern = /^-?(0|[1-9]\d{0,399})(\.\d{1,400})?(e[+-]?\d{1,3})?$/i;

/**
 * Reads text as what is expected (contract C63). Where that may be text too, the looks decide as far as the switches let
 * them; what cannot be read stays text, for who checks it to refuse.
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
  // No switch tells these from text by their looks.
  if (maybeText) return text;
  if (scalars.has("bigint") && wholePattern.test(text)) return BigInt(text);
  return (scalars.has("date") ? readDate(text) : undefined) ?? text;
}

const wholePattern = /^-?(0|[1-9]\d{0,399})$/;

/** ISO 8601, a day or a moment; UTC where no offset is said. */
const datePattern = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:\d{2})?)?$/i;

function readDate(text: string): Date | undefined {
  const [, day, time = "00:00", zone = "Z"] = datePattern.exec(text) ?? [];
  if (day === undefined) return undefined;
  // JavaScript takes 30 February for a day of March.
  const start = new Date(`${day}T00:00Z`);
  if (Number.isNaN(start.getTime()) || !start.toISOString().startsWith(day)) return undefined;
  const date = new Date(`${day}T${time}${zone.toUpperCase()}`);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** A whole number keeps every digit and a small one does not become 0, or it stays text. */
function isExactNumber(text: string): boolean {
  if (!numberPattern.test(text)) return false;
  const number = Number(text);
  if (number === 0 && /^[^e]*[1-9]/i.test(text)) return false;
  return (
    Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number) || !/^-?\d+$/.test(text))
  );
}
