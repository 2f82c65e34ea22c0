import type { StoredField } from "../models/model.js";
import { writtenRule } from "./written-rule.js";

const shown = {
  String: "string",
  Boolean: "boolean",
  Int: "number",
  Float: "number",
  BigInt: "string",
  Decimal: "string",
  DateTime: "string",
  Bytes: "string",
  Json: "unknown",
} as const;

/** The type of a value in a response (contract C4). */
export function shownType(field: StoredField): string {
  const type = field.kind === "enum" ? writtenRule(field).type : shown[field.type];
  return orNull(field, inList(field, type));
}

/** The type of a value in a body. */
export function bodyType(field: StoredField): string {
  return orNull(field, inList(field, writtenRule(field).type));
}

/** The type of one value in a filter or a key. A query contains JSON as text. */
export function filterType(field: StoredField): string {
  return field.type === "Json" ? "string" : writtenRule(field).type;
}

const inList = ({ isList }: StoredField, type: string): string =>
  isList ? `${type.includes("|") ? `(${type})` : type}[]` : type;

const orNull = ({ isRequired, isList, type }: StoredField, written: string): string =>
  isRequired || isList || type === "Json" ? written : `${written} | null`;
