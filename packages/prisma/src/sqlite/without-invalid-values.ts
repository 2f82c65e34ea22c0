import type { EnumColumns } from "./enum-columns.js";

/** A row of the driver: it has a value for each column. */
type Row = ArrayLike<unknown>;

/** A result of the driver. */
interface Result {
  readonly columns: readonly string[];
  /** The declared types, empty for an expression. */
  readonly columnTypes: readonly string[];
  readonly rows: readonly Row[];
}

/**
 * Replaces values that the type of their column does not have, such as text in an integer column, by `null`. SQLite
 * stores any value in any column. Prisma's adapter rounds some of them, and Prisma Client fails for every result that
 * contains another.
 *
 * @param enums the values of the columns with an enum, which SQLite stores as text
 */
export function withoutInvalidValues<Given extends Result>(result: Given, enums: EnumColumns = new Map()): Given {
  const columns = result.columnTypes.map((type, column): ((value: unknown) => boolean) => {
    const values = enums.get(result.columns[column] ?? "");
    return values === undefined ? (checks[type.toUpperCase()] ?? (() => true)) : (value) => values.has(value);
  });
  const isValid = (value: unknown, column: number): boolean => value === null || columns[column]?.(value) !== false;
  const hasInvalid = (row: Row): boolean => columns.some((_check, column) => !isValid(row[column], column));
  const toValid = (row: Row): Row => Array.from(row, (value, column) => (isValid(value, column) ? value : null));
  return { ...result, rows: result.rows.map((row) => (hasInvalid(row) ? toValid(row) : row)) };
}

/** The types that Prisma declares. The driver returns integers as bigints and blobs as array buffers. */
const checks: Readonly<Record<string, (value: unknown) => boolean>> = {
  INTEGER: (value) => typeof value === "bigint" && Number.isSafeInteger(Number(value)),
  BIGINT: (value) => typeof value === "bigint",
  BOOLEAN: (value) => value === 0n || value === 1n || (typeof value === "string" && /^(?:true|false)$/i.test(value)),
  REAL: (value) => typeof value === "number" || typeof value === "bigint",
  DATETIME: (value) => (typeof value === "bigint" ? isTime(Number(value)) : isTimeText(value)),
  TEXT: (value) => typeof value === "string",
  BLOB: (value) => value instanceof ArrayBuffer,
  JSONB: isJson,
};

const isTime = (time: number | string): boolean => !Number.isNaN(new Date(time).getTime());

/** ISO 8601 and SQLite's `CURRENT_TIMESTAMP`: the forms that Prisma Client reads. */
const timeText =
  /^((?:\d{4}|[+-]\d{6})-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}:\d{2}(?:\.\d+)?)(?:Z|[+-]\d{2}(?::?\d{2})?)?)?$/;

function isTimeText(value: unknown): boolean {
  const parts = typeof value === "string" ? timeText.exec(value) : null;
  return parts !== null && isTime(`${parts[1]}T${parts[2] ?? "00:00:00"}`);
}

/** SQLite stores the text of a JSON number as a number. */
function isJson(value: unknown): boolean {
  if (typeof value === "bigint" || Number.isFinite(value)) return true;
  if (typeof value !== "string") return false;
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}
