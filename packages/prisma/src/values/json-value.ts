import { isSinglePrecision } from "../models/is-single-precision.js";
import type { StoredField } from "../models/model.js";
import { containsExactNumber, ExactJson } from "./exact-json.js";
import { dateTimeText, PreciseDate } from "./moment.js";
import { shortestSingle } from "./shortest-single.js";
import { withoutEnd } from "./without-end.js";

/**
 * The JSON form of a field's value: `Json` as it is, `char(n)` without its padding, a decimal with as many places as its
 * column has, a number of single precision with as few digits as possible.
 */
export function toJsonField(field: StoredField, value: unknown): unknown {
  if (field.type === "Json")
    return field.isList && Array.isArray(value) ? value.map((item) => exactly(item)) : exactly(value);
  const shown = toJsonValue(value);
  const format = formatOf(field);
  if (format === undefined) return shown;
  const formatAll = (item: unknown): unknown => (Array.isArray(item) ? item.map(formatAll) : format(item));
  return formatAll(shown);
}

function formatOf(field: StoredField): ((value: unknown) => unknown) | undefined {
  if (field.type === "Decimal") return withPlaces(columnPlaces(field));
  if (field.nativeType?.name === "Char") return withoutPadding;
  return isSinglePrecision(field) ? shortened : undefined;
}

const exactly = (value: unknown): unknown => (containsExactNumber(value) ? new ExactJson(value) : value);

/** The number of decimal places of a column's values; none if Prisma's default leaves it open. */
function columnPlaces({ nativeType }: StoredField): number {
  if (nativeType?.name === "Money") return 2;
  return nativeType?.name === "Decimal" ? Number(nativeType.args[1] ?? 0) : 0;
}

const withPlaces =
  (places: number) =>
  (value: unknown): unknown => {
    if (places === 0 || typeof value !== "string" || !/^-?\d+(\.\d+)?$/.test(value)) return value;
    const [integer = "", fraction = ""] = value.split(".");
    return `${integer}.${fraction.padEnd(places, "0")}`;
  };

/** MySQL returns a number of single precision with the digits of double precision. */
const shortened = (value: unknown): unknown => (typeof value === "number" ? shortestSingle(value) : value);

const withoutPadding = (value: unknown): unknown => (typeof value === "string" ? withoutEnd(value, " ") : value);

/** Whether a value is a Decimal of Prisma, by its shape. */
export const isDecimal = (value: object): value is { toFixed(): string } =>
  "toFixed" in value && "decimalPlaces" in value && typeof value.toFixed === "function";

/**
 * The JSON form of a value by contract C4: dates in UTC, big numbers as text in plain notation, bytes as base64, and the numbers
 * that JSON lacks (NaN and the infinities) as text.
 */
export function toJsonValue(value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof PreciseDate) return dateTimeText(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : dateTimeText(value);
  if (value instanceof Uint8Array)
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64");
  if (Array.isArray(value)) return value.map(toJsonValue);
  if (isDecimal(value)) return value.toFixed();
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toJsonValue(item)]));
}
