/** The last value of `Date` represents PostgreSQL's `infinity`, the first one `-infinity`. */
const endOfTime = 8.64e15;

/** A `Date` with the text of a value that `Date` cannot represent: microseconds, or a year after 275760. */
export class PreciseDate extends Date {
  readonly #text: string;

  /** @param text ISO 8601 in UTC; the time is cut to milliseconds */
  constructor(text: string) {
    super(text.replace(/(\.\d{3})\d+Z$/, "$1Z"));
    this.#text = text;
  }

  override toISOString(): string {
    return this.#text;
  }

  override toJSON(): string {
    return this.#text;
  }
}

/** Whether a date represents `infinity` or `-infinity`. */
export const isEndless = (date: Date): boolean => Math.abs(date.getTime()) === endOfTime;

/** A date-time in responses (contract C4) and queries: ISO 8601 in UTC, `infinity` or `-infinity`. */
export function dateTimeText(date: Date): string {
  if (date instanceof PreciseDate || !isEndless(date)) return date.toISOString();
  return date.getTime() < 0 ? "-infinity" : "infinity";
}

const sqlDateTime = /^(\d{4,7})-(\d\d)-(\d\d)(?: (\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?)?(?:[+-]\d\d(?::\d\d){0,2})?( BC)?$/;

/** The same from PostgreSQL's text in a UTC session; `undefined` for invalid text. */
export function dateTimeTextOfSql(text: string): string | undefined {
  if (text === "infinity" || text === "-infinity") return text;
  const match = sqlDateTime.exec(text);
  if (match === null) return undefined;
  const [, year = "", month, day, time = "00:00:00", fraction = "", era] = match;
  return `${isoYear(era === undefined ? Number(year) : 1 - Number(year))}-${month}-${day}T${time}.${places(fraction)}Z`;
}

/** Milliseconds, or microseconds if there are more digits. */
export const places = (fraction: string): string => fraction.padEnd(fraction.length > 3 ? 6 : 3, "0");

/** Years outside of 0 to 9999 are expanded, as in ECMAScript. */
function isoYear(year: number): string {
  if (year >= 0 && year <= 9999) return String(year).padStart(4, "0");
  return `${year < 0 ? "-" : "+"}${String(Math.abs(year)).padStart(6, "0")}`;
}

/** The date of such a text, as in a row. */
export function dateOfText(text: string): Date {
  if (text === "infinity" || text === "-infinity") return new Date(text === "infinity" ? endOfTime : -endOfTime);
  if (text.length === 24) return new Date(text);
  const date = /\.\d{3}Z$/.test(text) ? new Date(text) : undefined;
  return date === undefined || Number.isNaN(date.getTime()) || isEndless(date) ? new PreciseDate(text) : date;
}

/** A date-time as PostgreSQL reads it. */
export function sqlOfDateTime(text: string): string {
  const match = /^([+-]\d{6,7}|0000)-([^T]*)T([^TZ]*)Z$/.exec(text);
  if (match === null) return text;
  const [, expanded, day, time] = match;
  const year = Number(expanded);
  const written = String(year > 0 ? year : 1 - year).padStart(4, "0");
  return `${written}-${day} ${time}+00${year > 0 ? "" : " BC"}`;
}
