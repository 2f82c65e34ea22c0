import type { StoredField } from "@servicekit/orm";
import { integerRange } from "./integer-range.js";
import { readDate } from "./read-date.js";
import { readDecimal } from "./read-decimal.js";

/** A value as Prisma takes it. */
export type Scalar = string | number | bigint | boolean | Date | Uint8Array;

/** What came of reading a text: the value, or what would have been expected. */
export type TextReading =
  | { readonly ok: true; readonly value: Scalar }
  | { readonly ok: false; readonly expected: string };

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Reads a text from a URL by the field's own type (contract C7, C10): a path id, an operand of a filter, a part of a
 * cursor. Nothing is rounded or coerced.
 */
export function readTextValue(field: StoredField, text: string): TextReading {
  const value = read(field, text);
  return value === undefined ? { ok: false, expected: expectedOf(field) } : { ok: true, value };
}

/** A few words that say which texts a field takes. */
export function expectedOf(field: StoredField): string {
  if (field.kind === "enum") return `one of ${field.values.join(", ")}`;
  switch (field.type) {
    case "Int":
    case "BigInt": {
      const { min, max } = integerRange(field);
      return `a whole number from ${min} to ${max}`;
    }
    case "Float":
      return "a number";
    case "Decimal":
      return "a decimal number such as 12.50";
    case "Boolean":
      return "true or false";
    case "DateTime":
      return "a date such as 2026-01-31 or 2026-01-31T12:00:00Z";
    case "Bytes":
      return "base64 text";
    case "Json":
      return "a JSON text, number, boolean or null";
    case "String":
      return field.nativeType?.name === "Uuid" ? "a UUID" : "text without the character NUL";
  }
}

function read(field: StoredField, text: string): Scalar | undefined {
  if (field.kind === "enum") return field.values.includes(text) ? text : undefined;
  switch (field.type) {
    case "String":
      if (field.nativeType?.name === "Uuid") return uuidPattern.test(text) ? text.toLowerCase() : undefined;
      return text.includes("\0") || !text.isWellFormed() ? undefined : text;
    case "Int":
    case "BigInt": {
      if (!/^(0|-?[1-9]\d{0,18})$/.test(text)) return undefined;
      const { min, max } = integerRange(field);
      const value = BigInt(text);
      if (value < min || value > max) return undefined;
      return field.type === "Int" ? Number(value) : value;
    }
    case "Float": {
      if (!/^-?\d{1,400}(\.\d{1,400})?(e[+-]?\d{1,3})?$/i.test(text)) return undefined;
      const value = Number(text);
      return Number.isFinite(value) ? value : undefined;
    }
    case "Decimal":
      return readDecimal(text);
    case "Boolean":
      return text === "true" ? true : text === "false" ? false : undefined;
    case "DateTime":
      return readDate(text);
    case "Bytes":
      return readBase64(text);
    case "Json":
      return readJsonScalar(text);
  }
}

/** Reads canonical base64 (RFC 4648, section 4). */
export function readBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? new Uint8Array(bytes) : undefined;
}

function readJsonScalar(text: string): Scalar | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "string" && value.includes("\0")) return undefined;
    if (typeof value === "number" && !Number.isFinite(value)) return undefined;
    return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : undefined;
  } catch {
    return undefined;
  }
}
