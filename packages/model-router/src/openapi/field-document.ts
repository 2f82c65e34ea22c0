import { type ComputedField, type StoredField } from "@servicekit/prisma";
import { fieldRule, maxListItems } from "@servicekit/prisma/internal";
import type { DocumentObject } from "@servicekit/router";
import { z } from "zod";
import { reference } from "./component-names.js";

/** A stored field as JSON Schema: in responses or in bodies (contract C4). */
export function fieldDocument(field: StoredField, direction: "response" | "body"): DocumentObject {
  const document = fullDocument(field, direction);
  return field.documentation === undefined ? document : { ...document, description: field.documentation };
}

/** A computed field as JSON Schema (contract C102). */
export const computedDocument = ({ schema, documentation }: ComputedField): DocumentObject => ({
  ...schema,
  ...(documentation === undefined ? {} : { description: documentation }),
  readOnly: true,
});

/** The fields of a response as JSON Schemas, by their names. */
export const responseProperties = (fields: Iterable<StoredField>): DocumentObject =>
  Object.fromEntries([...fields].map((field) => [field.name, fieldDocument(field, "response")]));

function fullDocument(field: StoredField, direction: "response" | "body"): DocumentObject {
  const value = valueDocument(field, direction);
  if (!field.isList) return field.isRequired ? value : nullable(value);
  if (direction === "response") return { type: "array", items: value };
  // PostgreSQL would read null as a missing element.
  const items =
    field.type === "Json" ? { ...value, type: ["string", "number", "boolean", "object", "array"], items: {} } : value;
  return { type: "array", items, maxItems: maxListItems };
}

/**
 * One value of a field, or an item of a list. In bodies what the column stores exactly, in responses what it contains.
 */
export function valueDocument(field: StoredField, direction: "response" | "body"): DocumentObject {
  const rule = fieldRule(field);
  const isBody = direction === "body";
  const name = isBody ? valueName(rule) : undefined;
  if (name !== undefined) return reference(name);
  switch (rule.kind) {
    case "text":
      return {
        type: "string",
        ...(rule.maxCharacters === undefined ? {} : { maxLength: rule.maxCharacters }),
        ...(isBody && !rule.keepsTrailingBlanks ? { pattern: "[^ ]$|^$" } : {}),
      };
    case "uuid":
      return { type: "string", format: "uuid" };
    case "inet":
    case "xml":
      return { type: "string" };
    case "bits":
      return { type: "string", pattern: `^[01]${rule.isExact ? `{${rule.length}}` : `{0,${rule.length ?? ""}}`}$` };
    case "enum":
      return { type: "string", enum: rule.values };
    case "boolean":
      return { type: "boolean" };
    case "integer":
      return rule.isBig ? { type: "string", pattern: "^-?\\d+$" } : integerDocument(rule, isBody);
    case "float":
      return { type: "number", ...(isBody && rule.isSingle ? { minimum: -maxSingle, maximum: maxSingle } : {}) };
    case "decimal":
      return { type: "string", pattern: `^-?${digitsOf(rule)}$` };
    case "date":
      return isBody ? dateDocument(rule) : { type: "string", format: "date-time" };
    case "bytes":
      return { type: "string", contentEncoding: "base64" };
    case "json":
      return { description: "Any JSON value." };
  }
}

/**
 * `int32` implies the bounds of a four-byte column; bodies also state them as numbers, for programs that ignore
 * formats.
 */
export function integerDocument(
  { min, max }: { readonly min: bigint; readonly max: bigint },
  hasBounds: boolean,
): DocumentObject {
  const isFourBytes = min === -(2n ** 31n) && max === 2n ** 31n - 1n;
  const bounds = hasBounds || !isFourBytes ? { minimum: Number(min), maximum: Number(max) } : {};
  return { type: "integer", ...(isFourBytes ? { format: "int32" } : {}), ...bounds };
}

/** Values whose rules are longer than a reference: one named schema each (contract C65). */
function valueName(rule: Rule): string | undefined {
  switch (rule.kind) {
    case "inet":
      return "InetValue";
    case "bytes":
      return "BytesValue";
    case "integer":
      return rule.isBig ? "BigIntValue" : undefined;
    case "date":
      return rule.part === "day" ? "DateValue" : undefined;
    case "decimal":
      return `Decimal${rule.integer}Point${rule.fraction}Value`;
    default:
      return undefined;
  }
}

type Rule = ReturnType<typeof fieldRule>;

/** The named schemas of decimals in bodies: one for each number of digits of a column. */
export function decimalValues(fields: Iterable<StoredField>): Readonly<Record<string, DocumentObject>> {
  const found: Record<string, DocumentObject> = {};
  for (const field of fields) {
    const rule = fieldRule(field);
    const name = valueName(rule);
    if (rule.kind === "decimal" && name !== undefined) found[name] ??= decimalDocument(rule);
  }
  return found;
}

interface Digits {
  readonly integer: number;
  readonly fraction: number;
}

/** As many digits as the column has. */
const digitsOf = ({ integer, fraction }: Digits): string =>
  `${integer === 0 ? "0" : `\\d{1,${integer}}`}${fraction === 0 ? "" : `(\\.\\d{1,${fraction}})?`}`;

/** The same in a body, with optional leading and trailing zeros. */
function decimalDocument({ integer, fraction }: Digits): DocumentObject {
  const parts = fraction === 0 ? "(\\.0+)?" : `(\\.\\d{1,${fraction}}0*)?`;
  const pattern = `^-?${integer === 0 ? "0+" : `0*\\d{1,${integer}}`}${parts}$`;
  // A JSON number of more than 15 digits is not exact.
  const limit = 10 ** Math.min(integer, 15);
  return textOrNumber({ pattern }, { type: "number", exclusiveMinimum: -limit, exclusiveMaximum: limit });
}

/** Each with its own bounds, because code generators apply one list of types to all of them. */
const textOrNumber = (text: DocumentObject, number: DocumentObject): DocumentObject => ({
  anyOf: [{ type: "string", ...text }, number],
});

const day = "\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])";

interface DatePart {
  readonly part: "moment" | "day" | "time";
  readonly places: number;
}

/** A date-time or a time; a date is a `DateValue`. */
function dateDocument({ part, places }: DatePart): DocumentObject {
  // Trailing zeros beyond the places of the column lose nothing.
  const fraction = places === 0 ? "(\\.0+)?" : `(\\.\\d{1,${places}}0*)?`;
  if (part === "time") {
    return {
      type: "string",
      pattern: `^1970-01-01T([01]\\d|2[0-3]):[0-5]\\d(:[0-5]\\d${fraction})?Z$`,
      examples: ["1970-01-01T08:30:00Z"],
    };
  }
  const pattern = `T\\d\\d:\\d\\d:\\d\\d${fraction}[Zz+-]`;
  return { type: "string", format: "date-time", ...(places < 3 ? { pattern } : {}) };
}

/** Canonical base64 (RFC 4648, section 4): unused bits are zero. */
const base64Pattern = "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$";

const sourceOf = (name: "ipv4" | "ipv6"): string => z.core.regexes[name].source.slice(1, -1);

/** Values of bodies with long rules, for any column. */
export const commonValues: Readonly<Record<string, DocumentObject>> = {
  BigIntValue: textOrNumber(
    { pattern: "^(0|-?[1-9]\\d{0,18})$" },
    { type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
  ),
  BytesValue: { type: "string", contentEncoding: "base64", pattern: base64Pattern },
  DateValue: { type: "string", pattern: `^${day}(T00:00(:00(\\.0{1,9})?)?Z)?$`, examples: ["2026-01-31"] },
  // An address, or a network.
  InetValue: {
    type: "string",
    pattern: `^(${sourceOf("ipv4")})(\\/(\\d|[12]\\d|3[0-2]))?$|^(${sourceOf("ipv6")})(\\/(\\d{1,2}|1[01]\\d|12[0-8]))?$`,
  },
};

/** The maximum number of a single-precision column. */
const maxSingle = 3.4028234663852886e38;

/** The same or null. */
function nullable(schema: DocumentObject): DocumentObject {
  const { type, enum: values, anyOf } = schema;
  if (Array.isArray(anyOf)) return { ...schema, anyOf: [...anyOf, { type: "null" }] };
  if (schema.$ref !== undefined) return { anyOf: [schema, { type: "null" }] };
  if (type === undefined) return schema;
  return {
    ...schema,
    type: [...[type].flat(), "null"],
    ...(Array.isArray(values) ? { enum: [...values, null] } : {}),
  };
}
