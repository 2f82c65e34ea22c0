import { ormErrors } from "../errors/orm-errors.js";
import type { StoredField } from "../models/model.js";
import { exactFloat } from "../values/exact-float.js";
import { hasDate } from "../values/has-date.js";
import { isPlainText } from "../values/is-plain-text.js";
import { PreciseDate } from "../values/moment.js";
import { JsonOperand } from "./json-operand.js";

/** A value of a condition. */
export type Operand = string | number | bigint | boolean | Date | Uint8Array | JsonOperand | DecimalLike;

/** A decimal of Prisma, or of another copy of its library. */
export interface DecimalLike {
  toFixed(): string;
}

type Check = (value: unknown) => boolean;

const nonFinite = /^(NaN|-?Infinity)$/;
const decimal = /^-?\d+(\.\d+)?([eE][+-]?\d{1,3})?$/;
const isText: Check = (value) => typeof value === "string" && isPlainText(value);
const isWithin = (bits: bigint): Check => {
  const limit = 1n << (bits - 1n);
  return (value) => {
    if (typeof value === "number" && !Number.isSafeInteger(value)) return false;
    if (typeof value !== "number" && typeof value !== "bigint") return false;
    const exact = BigInt(value);
    return exact >= -limit && exact < limit;
  };
};

const byType: Readonly<Record<string, Check>> = {
  String: isText,
  Boolean: (value) => typeof value === "boolean",
  Int: (value) => typeof value === "number" && isWithin(32n)(value),
  BigInt: isWithin(64n),
  Float: (value) => typeof value === "number",
  Decimal: (value) =>
    (typeof value === "number" && Number.isFinite(value)) ||
    (typeof value === "string" && (decimal.test(value) || nonFinite.test(value))) ||
    isDecimalLike(value),
  DateTime: (value) => value instanceof PreciseDate || (value instanceof Date && !Number.isNaN(value.getTime())),
  Json: (value) => value instanceof JsonOperand,
  Bytes: (value) => value instanceof Uint8Array,
};

const smallInt = isWithin(16n);
const oid: Check = (value) => typeof value === "number" && Number.isInteger(value) && value >= 0 && value < 2 ** 32;

/** Whether a value is one of the field's own type: an object could be an operator, or name another column. */
export const isOperand = (field: StoredField, value: unknown): boolean =>
  field.kind === "enum"
    ? typeof value === "string" && field.values.includes(value)
    : (nativeCheck(field) ?? byType[field.type])?.(value) === true &&
      !(field.isFinite && nonFinite.test(String(value))) &&
      !(value instanceof Date && !hasDate(field, value));

/**
 * Takes one value of a field's own type, and nothing else.
 *
 * @throws {HttpError} 400
 */
export function checkOperand(field: StoredField, value: unknown): Operand {
  if (!isOperand(field, value)) throw ormErrors.InvalidQuery(`${field.name} cannot be compared with this value.`);
  return (field.type === "Float" ? exactFloat(value) : value) as Operand;
}

function nativeCheck(field: StoredField): Check | undefined {
  if (field.nativeType?.name === "SmallInt") return smallInt;
  return field.nativeType?.name === "Oid" ? oid : undefined;
}

/** Such objects have a prototype of their own, unlike those parsed from a request. */
function isDecimalLike(value: unknown): value is DecimalLike {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return false;
  const { toFixed, s, e, d } = value as { toFixed?: unknown; s?: unknown; e?: unknown; d?: unknown };
  return typeof toFixed === "function" && typeof s === "number" && typeof e === "number" && Array.isArray(d);
}
