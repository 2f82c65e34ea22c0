import { isPlainObject } from "@servicekit/field-path";
import { type EnumField, isShortNumber, quoteName, type StoredField } from "@servicekit/orm";
import { giveUp } from "./not-foldable.js";

/** What the fold knows of a stored field. */
export interface Column {
  /** The column's name in SQL. */
  readonly name: string;
  /** The SQL that reads it as text, given the column with its table. */
  readonly read: (column: string) => string;
  /** Whether conditions on it are known. */
  readonly isComparable: boolean;
  readonly isText: boolean;
  /** Of a list: how the text of each item is to be understood. */
  readonly item?: ItemForm;
  /** The name of the cast that a text of PostgreSQL needs to be the value of the field in an answer and in a row. */
  readonly form: ColumnForm;
}

/** How the text of a column is to be understood. */
export type ColumnForm =
  | "text"
  | "padded"
  | "integer"
  | "bigint"
  | "float"
  | "decimal"
  | "boolean"
  | "timestamp"
  | "date"
  | "json"
  | "bytes"
  | "enum"
  /** A JSON list. */
  | "list";

/** The items that are the same in JSON as in a column of their own. */
export type ItemForm = "text" | "integer" | "boolean" | "enum";

const asIs = (column: string): string => column;
/** Without line breaks, and whatever `bytea_output` says. */
const asHex = (column: string): string => `encode(${column}, 'hex')`;
const asJson = (column: string): string => `to_json(${column})`;

/** The native types that are known, by the type of the field; `""` stands for the type that Prisma chooses. */
const forms: Readonly<Record<string, Readonly<Record<string, ColumnForm>>>> = {
  String: { "": "text", Text: "text", VarChar: "text", Uuid: "text", Char: "padded" },
  Boolean: { "": "boolean", Boolean: "boolean" },
  Int: { "": "integer", Integer: "integer", SmallInt: "integer" },
  BigInt: { "": "bigint", BigInt: "bigint" },
  Float: { "": "float", DoublePrecision: "float", Real: "float" },
  Decimal: { "": "decimal", Decimal: "decimal" },
  DateTime: { "": "timestamp", Timestamp: "timestamp", Timestamptz: "timestamp", Date: "date" },
  Json: { "": "json", Json: "json", JsonB: "json" },
  Bytes: { "": "bytes", ByteA: "bytes" },
};

const columns = new WeakMap<StoredField, Column | null>();

/** The column of a field; gives up on a type that the fold does not know. */
export const columnOf = (field: StoredField): Column => knownColumn(field) ?? giveUp();

/** Whether the fold knows the type of a field. */
export const isKnown = (field: StoredField): boolean => knownColumn(field) !== null;

function knownColumn(field: StoredField): Column | null {
  const known = columns.get(field);
  if (known !== undefined) return known;
  const made = makeColumn(field);
  columns.set(field, made);
  return made;
}

function makeColumn(field: StoredField): Column | null {
  const native = field.nativeType?.name ?? "";
  const form = field.kind === "enum" ? "enum" : forms[field.type]?.[native];
  // Names that Prisma itself stumbles over are left to it.
  if (form === undefined || /^(and|or|not|constructor|__proto__)$/i.test(field.name)) return null;
  if (field.isList) {
    if (!isItem(form)) return null;
    const list = { read: asJson, isComparable: false, isText: false, form: "list", item: form } as const;
    return Object.freeze({ ...list, name: quoteName(field.column) });
  }
  return Object.freeze({
    name: quoteName(field.column),
    read: form === "bytes" ? asHex : asIs,
    isComparable: form !== "json" && native !== "Real",
    isText: form === "text" && native !== "Uuid",
    form,
  });
}

const isItem = (form: ColumnForm): form is ItemForm => ["text", "integer", "boolean", "enum"].includes(form);

export const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
const number = /^-?\d+(\.\d+)?$/;

/** A value of a field as a parameter of a statement, which PostgreSQL reads by the type of the column. */
export function parameterOf(field: StoredField, value: unknown): unknown {
  switch (columnOf(field).form) {
    case "text":
    case "padded":
      if (typeof value !== "string" || (field.nativeType?.name === "Uuid" && !uuid.test(value))) return giveUp();
      return value;
    case "enum":
      return databaseValue(field as EnumField, value);
    case "boolean":
      return typeof value === "boolean" ? value : giveUp();
    case "integer":
      return Number.isInteger(value) ? value : giveUp();
    case "bigint":
      return typeof value === "bigint" || Number.isSafeInteger(value) ? String(value) : giveUp();
    case "float":
      return typeof value === "number" ? numberText(value) : decimalText(value);
    case "decimal":
      if (typeof value === "number") return numberText(value);
      return typeof value === "string" && number.test(value) ? value : decimalText(value);
    case "timestamp":
      return dateOf(value).toISOString();
    case "date":
      return dateOf(value).toISOString().slice(0, 10);
    case "bytes":
      return value instanceof Uint8Array ? `\\x${Buffer.from(value).toString("hex")}` : giveUp();
    default:
      return giveUp();
  }
}

function databaseValue({ values, databaseValues }: EnumField, value: unknown): string {
  return databaseValues[values.indexOf(value as string)] ?? giveUp();
}

/** Years of four digits only: others have several spellings. */
export function dateOf(value: unknown): Date {
  if (!(value instanceof Date)) return giveUp();
  const year = value.getUTCFullYear();
  return year >= 1 && year <= 9999 ? value : giveUp();
}

/** Longer ones Prisma rounds in some places; conditions of clients have them in a form that it does not. */
const numberText = (value: number): string =>
  Number.isFinite(value) && isShortNumber(value) ? String(value) : giveUp();

function decimalText(value: unknown): string {
  if (typeof value !== "object" || value === null || isPlainObject(value) || !("toFixed" in value)) return giveUp();
  const text = (value as { toFixed(): string }).toFixed();
  return Number.isFinite(Number(text)) ? text : giveUp();
}
