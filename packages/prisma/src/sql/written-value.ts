import { isPlainObject } from "@servicekit/core/internal";
import { databaseValue } from "../models/database-value.js";
import { type EnumField, type StoredField } from "../models/model.js";
import { isShortNumber } from "../values/exact-float.js";
import { type ColumnForm, columnOf, dateTimeParameter, uuid } from "./column.js";
import { giveUp } from "./not-foldable.js";

const plainNumber = /^-?\d+(\.\d+)?$/;
/** Characters without UTF-8 encoding. */
const halfCharacter = /\\ud[89a-f]/i;
/** Numbers whose exponent Prisma writes differently, which a column of `json` preserves. */
const exponent = /\de[+-]?\d/i;

/** A value of a field as a parameter that PostgreSQL reads by the type of the column, and stores like Prisma's. */
export function writtenValue(field: StoredField, value: unknown): unknown {
  const written = toWritten(field, value);
  return written === undefined ? giveUp() : written;
}

/** `undefined` for a value that Prisma rejects or writes in another form. */
function toWritten(field: StoredField, value: unknown): unknown {
  const { form, item } = columnOf(field);
  if (form === "json") return jsonText(field, value);
  if (value === null) return field.isRequired ? undefined : null;
  if (item === undefined) return writtenAs(field, form, value);
  if (!Array.isArray(value)) return undefined;
  const items = value.map((one) => writtenAs(field, item, one));
  return items.includes(undefined) ? undefined : items;
}

function writtenAs(field: StoredField, form: ColumnForm, value: unknown): unknown {
  switch (form) {
    case "text":
    case "padded":
      return textOf(field, value);
    case "enum":
      return databaseValue(field as EnumField, value);
    case "boolean":
      return typeof value === "boolean" ? value : undefined;
    case "integer":
      return isWithin(value, -0x8000_0000, 0x7fff_ffff) ? value : undefined;
    case "bigint":
      return bigIntText(value);
    case "float":
      return typeof value === "number" && Number.isFinite(value) ? String(value) : undefined;
    case "decimal":
      return decimalText(value);
    case "timestamp":
    case "date":
    case "time":
      return dateTimeParameter(field, value);
    case "json":
      return jsonText(field, value) ?? undefined;
    case "bytes":
      return value instanceof Uint8Array ? `\\x${Buffer.from(value).toString("hex")}` : undefined;
    default:
      return undefined;
  }
}

const isWithin = (value: unknown, min: number, max: number): value is number =>
  Number.isInteger(value) && (value as number) >= min && (value as number) <= max;

function textOf({ nativeType }: StoredField, value: unknown): string | undefined {
  // A lone surrogate would be replaced on its way.
  if (typeof value !== "string" || !value.isWellFormed()) return undefined;
  return nativeType?.name === "Uuid" && !uuid.test(value) ? undefined : value;
}

function bigIntText(value: unknown): string | undefined {
  if (typeof value === "bigint") return BigInt.asIntN(64, value) === value ? String(value) : undefined;
  return Number.isSafeInteger(value) ? String(value) : undefined;
}

function decimalText(value: unknown): string | undefined {
  if (typeof value === "number") return Number.isFinite(value) && isShortNumber(value) ? String(value) : undefined;
  if (typeof value === "string") return plainNumber.test(value) ? value : undefined;
  if (typeof value !== "object" || value === null || isPlainObject(value) || !("toFixed" in value)) return undefined;
  const text = (value as { toFixed(): string }).toFixed();
  return plainNumber.test(text) ? text : undefined;
}

function jsonText(field: StoredField, value: unknown): string | null | undefined {
  const named = nullName(value);
  if (named === "JsonNull") return "null";
  if (named === "DbNull") return field.isRequired ? undefined : null;
  if (named !== undefined || !isJson(value)) return undefined;
  const text = JSON.stringify(value);
  if (field.nativeType?.name === "Json" && exponent.test(text)) return undefined;
  return halfCharacter.test(text) ? undefined : text;
}

/** Prisma's nulls, of any copy. */
function nullName(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || !("_getName" in value)) return undefined;
  return typeof value._getName === "function" ? String(value._getName()) : undefined;
}

/** Whether a value is plain JSON; `null` alone is ambiguous. */
function isJson(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value === "string" || typeof value === "boolean") return true;
  if (Array.isArray(value)) return value.every((item) => item === null || isJson(item));
  if (!isPlainObject(value) || "toJSON" in value) return false;
  return Object.values(value).every((item) => item === null || isJson(item));
}
