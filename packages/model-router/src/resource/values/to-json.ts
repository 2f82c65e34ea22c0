import { type Model, type Models, type StoredField } from "@servicekit/prisma";
import {
  ExactJson,
  holdsExactNumber,
  isHidden,
  momentText,
  PreciseDate,
  withoutEnd,
} from "@servicekit/prisma/internal";

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
      shown[name] = toJsonRows(value, related, models);
    } else if (!isHidden(field)) {
      shown[name] = field.kind === "unsupported" ? toJsonValue(value) : toJsonField(field, value);
    }
  }
  return shown;
}

/**
 * The JSON form of a field's value: `Json` as it is, `char(n)` without the blanks that fill it up, a decimal with as many
 * places as its column has.
 */
export function toJsonField(field: StoredField, value: unknown): unknown {
  if (field.type === "Json")
    return field.isList && Array.isArray(value) ? value.map((item) => exactly(item)) : exactly(value);
  if (field.type === "Float" && value !== null) return withoutNaN(value);
  const shown = toJsonValue(value);
  if (field.type !== "Decimal" && field.nativeType?.name !== "Char") return shown;
  const mend = field.type === "Decimal" ? withPlaces(columnPlaces(field)) : withoutPadding;
  const mendAll = (item: unknown): unknown => (Array.isArray(item) ? item.map(mendAll) : mend(item));
  return mendAll(shown);
}

const exactly = (value: unknown): unknown => (holdsExactNumber(value) ? new ExactJson(value) : value);

/** JSON has no NaN and no infinity: they become strings. */
const withoutNaN = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutNaN);
  return typeof value === "number" && !Number.isFinite(value) ? String(value) : toJsonValue(value);
};

/** The places after the point that every value of a decimal column has; none where Prisma's default leaves them open. */
function columnPlaces({ nativeType }: StoredField): number {
  if (nativeType?.name === "Money") return 2;
  return nativeType?.name === "Decimal" ? Number(nativeType.args[1] ?? 0) : 0;
}

const withPlaces =
  (places: number) =>
  (value: unknown): unknown => {
    if (places === 0 || typeof value !== "string" || !/^-?\d+(\.\d+)?$/.test(value)) return value;
    const [whole = "", fraction = ""] = value.split(".");
    return `${whole}.${fraction.padEnd(places, "0")}`;
  };

const withoutPadding = (value: unknown): unknown => (typeof value === "string" ? withoutEnd(value, " ") : value);

/**
 * What an answer shows of a row, of rows in lists, or of whatever else a hook put in their place. An instance of any class
 * counts as a row: its hidden fields must not leave either.
 */
export function toJsonRows(value: unknown, model: Model, models: Models): unknown {
  if (Array.isArray(value)) return value.map((item) => toJsonRows(item, model, models));
  return holdsFields(value) ? toJsonRow(value, model, models) : toJsonValue(value);
}

const holdsFields = (value: unknown): value is Row =>
  typeof value === "object" &&
  value !== null &&
  !(value instanceof Date) &&
  !(value instanceof Uint8Array) &&
  !isDecimal(value);

const isRow = (value: unknown): value is Row =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** Prisma's Decimal is known by its shape, so that this package needs no Prisma. */
const isDecimal = (value: object): value is { toFixed(): string } =>
  "toFixed" in value && "decimalPlaces" in value && typeof value.toFixed === "function";

/** The JSON form of a value by contract C4: dates in UTC, big numbers as text in plain notation, bytes as base64. */
export function toJsonValue(value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof PreciseDate) return momentText(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : momentText(value);
  if (value instanceof Uint8Array)
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64");
  if (Array.isArray(value)) return value.map(toJsonValue);
  if (isDecimal(value)) return value.toFixed();
  if (!isRow(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toJsonValue(item)]));
}
