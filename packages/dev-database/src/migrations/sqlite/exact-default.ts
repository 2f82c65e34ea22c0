import { sortedJson } from "@servicekit/core/internal";

/** The format of a `DateTime` that Prisma writes to SQLite, for `strftime`. */
const momentFormat = "'%Y-%m-%dT%H:%M:%f+00:00'";

/** The current time in that format. */
const now = `(strftime(${momentFormat}, 'now'))`;

/** An ISO date, or a date and a time with or without a zone, as Prisma's engine and SQLite write them. */
const moment = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d:\d\d(?:\.\d+)?) ?(Z|[+-]\d\d:\d\d)?)?$/;

/**
 * The default of a column in the form in which Prisma Client writes the same value to SQLite, because the database compares
 * values as they are stored. The service finds, sorts and returns no other form.
 *
 * @param type the declared type of the column
 * @param value the SQL of the default; an expression is in parentheses
 * @returns the same SQL if it has this form already, or if its value has no other
 */
export function exactDefault(type: string, value: string): string {
  switch (type.toUpperCase()) {
    case "DATETIME":
      return momentDefault(value);
    case "BLOB":
      return isText(value) && /^(?:[0-9a-f]{2})*$/.test(readText(value)) ? `x${value}` : value;
    case "JSONB":
      return isText(value) ? jsonDefault(value) : value;
    default:
      return value;
  }
}

/**
 * The default of a column as Prisma's engine compares it.
 *
 * @param value the SQL in `PRAGMA table_info`, `null` without a default
 * @param hidesOutdated whether a default in another form than {@link exactDefault} is hidden
 * @param isDifferent whether the engine must see another default
 */
export function shownDefault(type: string, value: unknown, hidesOutdated: boolean, isDifferent: boolean): unknown {
  if (isDifferent) return value === null ? "another()" : null;
  if (typeof value !== "string") return value;
  const sql = asDefault(value);
  if (type.toUpperCase() === "DATETIME" && sql === now) return "CURRENT_TIMESTAMP";
  return hidesOutdated && exactDefault(type, sql) !== sql ? null : value;
}

/** The default of a column in `PRAGMA table_info` as SQL: an expression in parentheses, which SQLite omits there. */
export const asDefault = (value: string): string =>
  isText(value) || /^(?:[\w.+-]+|x'[0-9a-f]*')$/i.test(value) ? value : `(${value})`;

function momentDefault(value: string): string {
  if (/^\(?CURRENT_TIMESTAMP\)?$/i.test(value)) return now;
  if (isText(value)) return writeText(exactMoment(readText(value)));
  if (!value.startsWith("(") || value.includes(momentFormat)) return value;
  return `(${momentSql(value)})`;
}

function exactMoment(text: string): string {
  const [, day = "", time = "00:00:00", zone = "Z"] = moment.exec(text) ?? [];
  const date = new Date(`${day}T${time}${zone}`);
  return Number.isNaN(date.getTime()) ? text : date.toISOString().replace("Z", "+00:00");
}

function jsonDefault(value: string): string {
  const text = readText(value);
  try {
    const parsed: unknown = JSON.parse(text);
    // A long number would be rounded.
    return /\d{16}/.test(text) ? value : writeText(JSON.stringify(sortedJson(parsed)));
  } catch {
    return value;
  }
}

/**
 * SQL for a stored date in the format of Prisma Client: a number contains milliseconds, and the service ignores further digits
 * of a text. What is not a date stays as it is.
 */
export function momentSql(value: string): string {
  const text = `iif(substr(${value}, 20, 4) GLOB '.[0-9][0-9][0-9]', substr(${value}, 1, 23) || ltrim(substr(${value}, 24), '0123456789'), ${value})`;
  return [
    "CASE",
    `WHEN typeof(${value}) = 'integer' THEN coalesce(strftime(${momentFormat}, ${value} / 1000.0, 'unixepoch'), ${value})`,
    `WHEN ${value} GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*' THEN coalesce(strftime(${momentFormat}, ${text}), ${value})`,
    `ELSE ${value} END`,
  ].join(" ");
}

/** Whether SQL is one literal text. */
export const isText = (sql: string): boolean => /^'(?:[^']|'')*'$/.test(sql);

const readText = (sql: string): string => sql.slice(1, -1).replaceAll("''", "'");
const writeText = (text: string): string => `'${text.replaceAll("'", "''")}'`;
