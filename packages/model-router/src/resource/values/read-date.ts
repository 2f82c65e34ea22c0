import { type StoredField } from "@servicekit/prisma";
import { dateOfText, fieldRule, hasDate, PreciseDate, withoutEnd, yearsText } from "@servicekit/prisma/internal";

const pattern =
  /^(\d{4}|[+-]\d{6,7})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}:\d{2})?)?$/i;

/**
 * Parses an ISO 8601 date or date-time (RFC 3339; UTC without an offset) from year 1 to 9999, with at most microseconds
 * (contract C12).
 *
 * @returns `undefined` for anything else, including a date that does not exist
 */
export function readDate(text: string): Date | undefined {
  const date = readInstant(text) ?? readOther(text);
  return date !== undefined && date.getTime() >= earliest && date.getTime() <= latest ? date : undefined;
}

/** The same for a value that the database may contain: in any year, and `infinity` and `-infinity`. */
export function readStoredDate(text: string): Date | undefined {
  if (text === "infinity" || text === "-infinity") return dateOfText(text);
  return readInstant(text) ?? readOther(text);
}

/** The format of JavaScript, and of most clients. */
function readInstant(text: string): Date | undefined {
  if (text.length !== 24 || !text.endsWith("Z")) return undefined;
  const date = new Date(text);
  return !Number.isNaN(date.getTime()) && date.toISOString() === text ? date : undefined;
}

function readOther(text: string): Date | undefined {
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const [, year = "", month, day, hour = "00", minute = "00", second = "00", given = "", zone = "Z"] = match;
  const fraction = withoutEnd(given, "0");
  if (fraction.length > 6 || year === "-000000") return undefined;
  // Beyond the range of `Date`, an equivalent year is used.
  const counted = Number(year) > 275_000 ? String(2_000 + (Number(year) % 400)) : year;
  const local = `${counted}-${month}-${day}T${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, "0")}`;
  const wall = new Date(`${local}Z`);
  // Date turns 30 February into a date in March: the output must equal the input.
  if (Number.isNaN(wall.getTime()) || wall.toISOString() !== `${local}Z`) return undefined;
  const date = new Date(`${local}${zone.toUpperCase()}`);
  if (Number.isNaN(date.getTime())) return undefined;
  if (counted === year && fraction.length <= 3) return dateOfText(date.toISOString());
  const digits = fraction.length > 3 ? fraction.slice(3).padEnd(3, "0") : "";
  return new PreciseDate(date.toISOString().replace(counted, year).replace("Z", `${digits}Z`));
}

const earliest = Date.parse("0001-01-01T00:00:00.000Z");
const latest = Date.parse("9999-12-31T23:59:59.999Z");
const dayLength = 86_400_000;

/** Why a date does not fit a column with less precision; `undefined` if it fits. */
export function dateMisfit(field: StoredField, date: Date): string | undefined {
  const rule = fieldRule(field);
  if (rule.kind !== "date") throw new TypeError(`The field ${field.name} is not a date.`);
  const time = date.getTime();
  if (!hasDate(field, date)) return `must be a date${yearsText(field)}`;
  if (rule.part === "day") {
    const isDay = time % dayLength === 0 && !(date instanceof PreciseDate && !Number.isNaN(time));
    return isDay || Number.isNaN(time) ? undefined : "must be a date without a time";
  }
  if (rule.part === "time" && !(time >= 0 && time < dayLength)) {
    return "must be a time on the day 1970-01-01";
  }
  const [, fraction = ""] = /\.(\d*)Z$/.exec(date.toISOString()) ?? [];
  return withoutEnd(fraction, "0").length <= rule.places
    ? undefined
    : `must have at most ${rule.places} decimal places of a second`;
}

/** Whether the column may contain this date. */
export function isStoredDate(field: StoredField, date: Date): boolean {
  const rule = fieldRule(field);
  if (rule.kind !== "date" || !hasDate(field, date)) return false;
  if (rule.part === "moment") return rule.places > 3 || /\.\d{3}Z$/.test(date.toISOString());
  // PostgreSQL has 24:00 as the end of a day.
  const isEnd = rule.part === "time" && date.getTime() === dayLength && !(date instanceof PreciseDate);
  return isEnd || dateMisfit(field, date) === undefined;
}
