import { isIPv4, isIPv6 } from "node:net";
import type { StoredField } from "@servicekit/prisma";
import {
  hasDate,
  isPlainText,
  isShortNumber,
  isSinglePrecision,
  withoutEnd,
  yearsText,
} from "@servicekit/prisma/internal";
import { integerRange } from "./integer-range.js";
import { isStoredDate, readStoredDate } from "./read-date.js";
import { readDecimal } from "./read-decimal.js";

/** A value in Prisma's form. */
export type Scalar = string | number | bigint | boolean | Date | Uint8Array;

/** The result of parsing a text: the value, or what was expected. */
export type TextReading =
  | { readonly ok: true; readonly value: Scalar }
  | { readonly ok: false; readonly expected: string };

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Parses a text of a URL by the field's own type (contract C7, C10): a path id, an operand of a filter, a part of a
 * cursor. Nothing is rounded or coerced.
 *
 * @param quoted whether it was in double quotes: a `Json` field then reads it as a string
 */
export function readTextValue(field: StoredField, text: string, quoted = false): TextReading {
  const value = quoted && field.type === "Json" ? readPlainText(text) : read(field, text);
  return value === undefined ? { ok: false, expected: expectedOf(field) + yearsOf(field, text) } : { ok: true, value };
}

/** The years of a column, for a date of another year. */
function yearsOf(field: StoredField, text: string): string {
  const date = field.type === "DateTime" ? readStoredDate(text) : undefined;
  return date === undefined || hasDate(field, date) ? "" : yearsText(field);
}

/** Describes the texts that a field accepts. */
export function expectedOf(field: StoredField): string {
  if (field.kind === "enum") return `one of ${field.values.join(", ")}`;
  switch (field.type) {
    case "Int":
    case "BigInt": {
      const { min, max } = integerRange(field);
      return `an integer from ${min} to ${max}`;
    }
    case "Float":
      return field.isFinite ? "a finite number" : "a number";
    case "Decimal":
      return "a decimal number such as 12.50";
    case "Boolean":
      return "true or false";
    case "DateTime":
      return expectedDate(field.nativeType?.name);
    case "Bytes":
      return "base64 text";
    case "Json":
      return "a JSON number, boolean or null, or a string in double quotes";
    case "String":
      return expectedText(field);
  }
}

function expectedDate(nativeType: string | undefined): string {
  if (nativeType === "Date") return "a date such as 2026-01-31";
  const isTime = nativeType === "Time" || nativeType === "Timetz";
  return isTime ? "a time such as 1970-01-01T12:00:00Z" : "a date such as 2026-01-31 or 2026-01-31T12:00:00Z";
}

function expectedText({ nativeType }: StoredField): string {
  const length = nativeType?.args[0];
  switch (nativeType?.name) {
    case "Uuid":
      return "a UUID";
    case "Inet":
      return "an IP address, or a network such as 10.0.0.0/8";
    case "Bit":
      return `${length ?? 1} bits, each 0 or 1`;
    case "VarBit":
      return length === undefined ? "bits, each 0 or 1" : `at most ${length} bits, each 0 or 1`;
    default:
      return "text without the character NUL";
  }
}

function read(field: StoredField, text: string): Scalar | undefined {
  if (field.kind === "enum") return field.values.includes(text) ? text : undefined;
  switch (field.type) {
    case "String":
      return readText(field, text);
    case "Int":
    case "BigInt": {
      if (!/^(0|-?[1-9]\d{0,18})$/.test(text)) return undefined;
      const { min, max } = integerRange(field);
      const value = BigInt(text);
      if (value < min || value > max) return undefined;
      return field.type === "Int" ? Number(value) : value;
    }
    case "Float": {
      if (noNumbers.has(text)) return field.isFinite ? undefined : Number(text);
      if (!/^-?\d{1,400}(\.\d{1,400})?(e[+-]?\d{1,3})?$/i.test(text)) return undefined;
      const value = Number(text);
      // A single-precision column is compared with the rounded value.
      const stored = isSinglePrecision(field) ? Math.fround(value) : value;
      // A value that is too large for the column would become infinite, one that is too small 0.
      return Number.isFinite(stored) && !(stored === 0 && isNonzero(text)) ? stored : undefined;
    }
    case "Decimal":
      return noNumbers.has(text) && field.nativeType?.name !== "Money" && !field.isFinite ? text : readDecimal(text);
    case "Boolean":
      return text === "true" ? true : text === "false" ? false : undefined;
    case "DateTime":
      return readDateTime(field, text);
    case "Bytes":
      return readBase64(text);
    case "Json":
      return readJsonScalar(text);
  }
}

/** Whether the text of a number has a nonzero digit before its exponent. */
const isNonzero = (text: string): boolean => /^[^e]*[1-9]/i.test(text);

/** The special values of floating-point and decimal columns, in the notations of PostgreSQL and JavaScript. */
const noNumbers: ReadonlySet<string> = new Set(["NaN", "Infinity", "-Infinity"]);

/** A value that the column cannot contain is rejected, because the comparison would be misleading. */
function readDateTime(field: StoredField, text: string): Date | undefined {
  const date = readStoredDate(text);
  return date !== undefined && isStoredDate(field, date) ? date : undefined;
}

function readText({ nativeType }: StoredField, text: string): string | undefined {
  switch (nativeType?.name) {
    case "Uuid":
      return uuidPattern.test(text) ? text.toLowerCase() : undefined;
    case "Inet":
      return isInet(text) ? text : undefined;
    case "Bit":
      return /^[01]+$/.test(text) && text.length === Number(nativeType.args[0] ?? 1) ? text : undefined;
    case "VarBit":
      return /^[01]*$/.test(text) && text.length <= Number(nativeType.args[0] ?? Infinity) ? text : undefined;
    case "Char":
      return readPlainText(withoutEnd(text, " "));
    default:
      return readPlainText(text);
  }
}

const readPlainText = (text: string): string | undefined => (isPlainText(text) ? text : undefined);

/** An address with or without the length of its network, as PostgreSQL's `inet` accepts it. */
function isInet(text: string): boolean {
  const [, address = "", bits] = /^([0-9a-f:.]+)(?:\/(0|[1-9]\d{0,2}))?$/i.exec(text) ?? [];
  if (isIPv4(address)) return bits === undefined || Number(bits) <= 32;
  return isIPv6(address) && (bits === undefined || Number(bits) <= 128);
}

/** Parses canonical base64 (RFC 4648, section 4). */
export function readBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? new Uint8Array(bytes) : undefined;
}

function readJsonScalar(text: string): Scalar | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "string") return readPlainText(value);
    if (typeof value === "number" && !(Number.isFinite(value) && isShortNumber(value))) return undefined;
    if (value === 0 && isNonzero(text)) return undefined;
    return typeof value === "number" || typeof value === "boolean" ? value : undefined;
  } catch {
    return undefined;
  }
}
