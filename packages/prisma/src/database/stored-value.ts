import type { EnumField, StoredField } from "../model.js";
import { momentText, sqlOfMoment } from "../moment.js";
import { PrismaNull } from "../prisma-nulls.js";

/** What JSON carries to a column that `json_populate_record` fills. */
export function toStoredValue(field: StoredField, value: unknown): unknown {
  if (value === null) return null;
  if (Array.isArray(value)) return value.map((item) => toStoredValue(field, item));
  if (field.kind === "enum") return databaseValue(field, String(value));
  if (value instanceof Date) return timeText(field, momentText(value));
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString("hex")}`;
  // JSON has no NaN and no infinity.
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  return typeof value === "bigint" ? value.toString() : value;
}

/**
 * What JSON carries to a column that `json_populate_record` would read in another way: money depends on the database's
 * locale, and a JSON `null` would become NULL. A value stands in a list, NULL is the empty list.
 */
export function toWrappedValue(field: StoredField, value: unknown): readonly unknown[] {
  if (value === null || (value instanceof PrismaNull && value._getName() === "DbNull")) return [];
  if (value instanceof PrismaNull) return [null];
  return [field.type === "Json" ? value : toStoredValue(field, value)];
}

/** Whether a field's values travel wrapped. */
export const isWrapped = (field: StoredField): boolean => field.type === "Json" || field.nativeType?.name === "Money";

/** SQL that takes a wrapped value out of `item`, a JSON expression. */
export function unwrap(field: StoredField, item: string): string {
  const [type, text] = field.type === "Json" ? [jsonType(field), ""] : ["numeric::money", "_text"];
  if (field.isList) return `ARRAY(SELECT x::${type} FROM json_array_elements${text}(${item} -> 0) AS x)`;
  return field.type === "Json" ? `(${item} -> 0)::${type}` : `(${item} ->> 0)::${type}`;
}

const jsonType = ({ nativeType }: StoredField): string => (nativeType?.name === "Json" ? "json" : "jsonb");

function databaseValue({ values, databaseValues }: EnumField, name: string): string {
  return databaseValues[values.indexOf(name)] ?? name;
}

/** A moment as PostgreSQL reads it into the column of a field. */
export function timeText({ nativeType }: StoredField, text: string): string {
  switch (nativeType?.name) {
    case "Date":
      return sqlOfMoment(text).replace(/T[^T]*Z$/, "");
    // The end of a day is the beginning of the next.
    case "Time":
      return text.startsWith("1970-01-02") ? "24:00:00" : text.slice(11, -1);
    case "Timetz":
      return text.startsWith("1970-01-02") ? "24:00:00+00" : `${text.slice(11, -1)}+00`;
    default:
      return sqlOfMoment(text);
  }
}
