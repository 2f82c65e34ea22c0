import { fieldRule, type StoredField, withoutEnd } from "@servicekit/orm";

const pattern = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}:\d{2})?)?$/i;

/**
 * Reads an ISO 8601 date or date and time (RFC 3339; without an offset it is UTC) from year 1 to 9999, with at most
 * milliseconds (contract C12).
 *
 * @returns `undefined` for anything else, a day that does not exist included
 */
export function readDate(text: string): Date | undefined {
  return readInstant(text) ?? readOther(text);
}

/** The form in which JavaScript writes a date, and with it most clients. */
function readInstant(text: string): Date | undefined {
  if (text.length !== 24 || !text.endsWith("Z")) return undefined;
  const date = new Date(text);
  const time = date.getTime();
  return time >= earliest && time <= latest && date.toISOString() === text ? date : undefined;
}

function readOther(text: string): Date | undefined {
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour = "00", minute = "00", second = "00", fraction = "", zone = "Z"] = match;
  if (withoutEnd(fraction, "0").length > 3) return undefined;
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, "0")}`;
  const wall = new Date(`${local}Z`);
  // Date rolls 30 February over to March: what comes out must be what went in.
  if (Number.isNaN(wall.getTime()) || wall.toISOString() !== `${local}Z`) return undefined;
  const date = new Date(`${local}${zone.toUpperCase()}`);
  const time = date.getTime();
  if (Number.isNaN(time) || time < earliest || time > latest) return undefined;
  return date;
}

const earliest = Date.parse("0001-01-01T00:00:00.000Z");
const latest = Date.parse("9999-12-31T23:59:59.999Z");

/** Why a date does not fit a column that stores less than milliseconds; `undefined` when it fits. */
export function dateMisfit(field: StoredField, date: Date): string | undefined {
  const rule = fieldRule(field);
  if (rule.kind !== "date") throw new TypeError(`The field ${field.name} is no date.`);
  const time = date.getTime();
  if (rule.part === "day") return time % 86_400_000 === 0 ? undefined : "must be a date without a time of day";
  if (rule.part === "time" && (time < 0 || time >= 86_400_000)) {
    return "must be a time of day, written on the day 1970-01-01";
  }
  const step = 10 ** (3 - rule.places);
  return time % step === 0 ? undefined : `must have at most ${rule.places} decimal places of a second`;
}
