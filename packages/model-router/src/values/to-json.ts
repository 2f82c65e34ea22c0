import { isHidden, type Model, type Models, type StoredField } from "@servicekit/orm";

/** A row, or what a hook made of one. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * Turns a row into what the answer shows of it: hidden fields are left out at every depth (contract C11), and each value
 * has the form of contract C4. Keys that are no fields, such as those that a hook adds, are kept.
 */
export function toJsonRow(row: Row, model: Model, models: Models): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const name of Object.keys(row)) {
    const field = model.fieldsByName.get(name);
    const value = row[name];
    if (field === undefined) {
      shown[name] = toJsonValue(value);
    } else if (field.kind === "relation") {
      const related = models.get(field.type);
      if (isHidden(field) || related === undefined) continue;
      shown[name] = mapRows(value, (item) => toJsonRow(item, related, models));
    } else if (!isHidden(field)) {
      shown[name] = field.kind === "unsupported" ? toJsonValue(value) : toJsonField(field, value);
    }
  }
  return shown;
}

/** The JSON form of a field's value: `Json` as it is, `char(n)` without the blanks that fill it up. */
export function toJsonField(field: StoredField, value: unknown): unknown {
  if (field.type === "Json") return value;
  const shown = toJsonValue(value);
  if (field.nativeType?.name !== "Char") return shown;
  return Array.isArray(shown) ? shown.map(withoutPadding) : withoutPadding(shown);
}

const withoutPadding = (value: unknown): unknown => (typeof value === "string" ? value.replace(/ +$/, "") : value);

function mapRows(value: unknown, convert: (row: Row) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => (isRow(item) ? convert(item) : toJsonValue(item)));
  return isRow(value) ? convert(value) : toJsonValue(value);
}

const isRow = (value: unknown): value is Row =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** Prisma's Decimal is known by its shape, so that this package needs no Prisma. */
const isDecimal = (value: object): value is { toFixed(): string } =>
  "toFixed" in value && "decimalPlaces" in value && typeof value.toFixed === "function";

/** The JSON form of a value by contract C4: dates in UTC, big numbers as text in plain notation, bytes as base64. */
export function toJsonValue(value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null) return value;
  // The database can hold dates that JavaScript cannot: years from 10000 on, and infinity.
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Uint8Array)
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64");
  if (Array.isArray(value)) return value.map(toJsonValue);
  if (isDecimal(value)) return value.toFixed();
  if (!isRow(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toJsonValue(item)]));
}
