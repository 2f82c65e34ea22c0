import { databaseValue } from "../models/database-value.js";
import type { StoredField } from "../models/model.js";
import { dateTimeText, sqlOfDateTime } from "../values/moment.js";
import { PrismaNull } from "../values/prisma-nulls.js";

/** The JSON for a column in `json_populate_record`. */
export function toStoredValue(field: StoredField, value: unknown): unknown {
  if (value === null) return null;
  if (Array.isArray(value)) return value.map((item) => toStoredValue(field, item));
  if (field.kind === "enum") return databaseValue(field, value) ?? String(value);
  if (value instanceof Date) return timeText(field, dateTimeText(value));
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString("hex")}`;
  // JSON has no NaN and no infinity.
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  return typeof value === "bigint" ? value.toString() : value;
}

/**
 * The JSON for a column that `json_populate_record` would read differently: money depends on the database's locale, and
 * a JSON `null` would become NULL. A value is wrapped in a list, NULL is the empty list.
 */
export function toWrappedValue(field: StoredField, value: unknown): readonly unknown[] {
  if (value === null || (value instanceof PrismaNull && value._getName() === "DbNull")) return [];
  if (value instanceof PrismaNull) return [null];
  return [field.type === "Json" ? value : toStoredValue(field, value)];
}

/** Whether a field's values are wrapped. */
export const isWrapped = (field: StoredField): boolean => field.type === "Json" || field.nativeType?.name === "Money";

/** SQL that unwraps a value of `item`, a JSON expression. */
export function unwrap(field: StoredField, item: string): string {
  const [type, text] = field.type === "Json" ? [jsonType(field), ""] : ["numeric::money", "_text"];
  if (field.isList) return `ARRAY(SELECT x::${type} FROM json_array_elements${text}(${item} -> 0) AS x)`;
  return field.type === "Json" ? `(${item} -> 0)::${type}` : `(${item} ->> 0)::${type}`;
}

const jsonType = ({ nativeType }: StoredField): string => (nativeType?.name === "Json" ? "json" : "jsonb");

/** A date-time as PostgreSQL reads it for a field's column. */
export function timeText({ nativeType }: StoredField, text: string): string {
  switch (nativeType?.name) {
    case "Date":
      return sqlOfDateTime(text).replace(/T[^T]*Z$/, "");
    // The end of a day is the start of the next.
    case "Time":
      return text.startsWith("1970-01-02") ? "24:00:00" : text.slice(11, -1);
    case "Timetz":
      return text.startsWith("1970-01-02") ? "24:00:00+00" : `${text.slice(11, -1)}+00`;
    default:
      return sqlOfDateTime(text);
  }
}
