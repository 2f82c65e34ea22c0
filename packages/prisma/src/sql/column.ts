import { isPlainObject } from "@servicekit/core/internal";
import { timeText } from "../database/stored-value.js";
import { databaseValue } from "../models/database-value.js";
import { type EnumField, type StoredField } from "../models/model.js";
import { quoteName } from "../models/quote-name.js";
import { isShortNumber } from "../values/exact-float.js";
import { dateTimeText, PreciseDate } from "../values/moment.js";
import { giveUp } from "./not-foldable.js";

/** The SQL properties of a stored field. */
export interface Column {
  /** The column's name in SQL. */
  readonly name: string;
  /** The SQL expression that reads it as text, given the column with its table. */
  readonly read: (column: string) => string;
  /** Whether conditions on it are supported. */
  readonly isComparable: boolean;
  readonly isText: boolean;
  /** Of a list: how the text of each item is read. */
  readonly item?: ItemForm;
  /** The SQL expression that represents it in comparisons and sorting, given the column with its table. */
  readonly compared: (column: string) => string;
  /** The type of a parameter, if it differs from that of the column. */
  readonly cast: string;
  /** The name of the conversion from PostgreSQL's text to the value in a response and in a row. */
  readonly form: ColumnForm;
}

/** How the text of a column is read. */
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
  | "time"
  | "json"
  | "bytes"
  | "enum"
  /** A JSON list. */
  | "list";

/** What the items of a list can be. */
export type ItemForm = Exclude<ColumnForm, "list">;

const asIs = (column: string): string => column;
/** Without line breaks, and independent of `bytea_output`. */
const asHex = (column: string): string => `encode(${column}, 'hex')`;
/** A JSON list of the texts of its items; an array of more dimensions has a list for each row. */
const asTextList = (column: string): string => `to_json(${column}::text[])`;
const asNumber = (column: string): string => `${column}::numeric`;
const asAddress = (column: string): string => `abbrev(${column})`;
/** A time in another zone is converted to UTC. */
const inUtc = (column: string): string => `(${column} AT TIME ZONE 'UTC')`;

/** The supported native types by the type of the field; `""` is the type that Prisma chooses. */
const forms: Readonly<Record<string, Readonly<Record<string, ColumnForm>>>> = {
  String: {
    "": "text",
    Text: "text",
    VarChar: "text",
    Uuid: "text",
    Inet: "text",
    Bit: "text",
    VarBit: "text",
    Xml: "text",
    Char: "padded",
  },
  Boolean: { "": "boolean", Boolean: "boolean" },
  Int: { "": "integer", Integer: "integer", SmallInt: "integer", Oid: "integer" },
  BigInt: { "": "bigint", BigInt: "bigint" },
  Float: { "": "float", DoublePrecision: "float", Real: "float" },
  Decimal: { "": "decimal", Decimal: "decimal", Money: "decimal" },
  DateTime: {
    "": "timestamp",
    Timestamp: "timestamp",
    Timestamptz: "timestamp",
    Date: "date",
    Time: "time",
    Timetz: "time",
  },
  Json: { "": "json", Json: "json", JsonB: "json" },
  Bytes: { "": "bytes", ByteA: "bytes" },
};

const columns = new WeakMap<StoredField, Column | null>();

/** The column of a field; unsupported types are left to Prisma. */
export const columnOf = (field: StoredField): Column => knownColumn(field) ?? giveUp();

/** Whether the type of a field is supported by SQL. */
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
  // Names that Prisma itself cannot handle are left to it.
  if (form === undefined || /^(and|or|not|constructor|__proto__)$/i.test(field.name)) return null;
  if (field.isList) {
    // The text of an address in a list includes the length of its network.
    if (native === "Inet") return null;
    const list = { read: asTextList, isText: false, form: "list", item: form as ItemForm } as const;
    const isComparable = !["json", "bytes"].includes(form) && !unlikeTexts.has(native);
    return Object.freeze({ ...list, name: quoteName(field.column), isComparable, compared: asIs, cast: "" });
  }
  return Object.freeze({
    name: quoteName(field.column),
    read:
      form === "bytes"
        ? asHex
        : native === "Money"
          ? asNumber
          : native === "Timetz"
            ? inUtc
            : native === "Inet"
              ? asAddress
              : asIs,
    compared: native === "Timetz" ? inUtc : asIs,
    cast: native === "Money" ? "::numeric::money" : "",
    isComparable: form !== "json" && native !== "Real" && native !== "Xml",
    isText: form === "text" && native !== "Uuid" && !unlikeTexts.has(native),
    form,
  });
}

/** Types whose values are texts in JSON, but are not compared as texts in PostgreSQL. */
const unlikeTexts: ReadonlySet<string> = new Set(["Inet", "Bit", "VarBit", "Xml", "Money", "Real", "Char"]);

export const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
const number = /^(-?\d+(\.\d+)?|NaN|-?Infinity)$/;

/** A value of a field as a parameter, which PostgreSQL reads by the type of the column. */
export const parameterOf = (field: StoredField, value: unknown): unknown => toParameter(field, value) ?? giveUp();

/** `undefined` for a value that the field does not accept, or that Prisma sends in another form. */
function toParameter(field: StoredField, value: unknown): unknown {
  const { form, item } = columnOf(field);
  switch (item ?? form) {
    case "text":
    case "padded":
      if (typeof value !== "string" || (field.nativeType?.name === "Uuid" && !uuid.test(value))) return undefined;
      return value;
    case "enum":
      return databaseValue(field as EnumField, value);
    case "boolean":
      return typeof value === "boolean" ? value : undefined;
    case "integer":
      return Number.isInteger(value) ? value : undefined;
    case "bigint":
      return typeof value === "bigint" || Number.isSafeInteger(value) ? String(value) : undefined;
    case "float":
      return typeof value === "number" ? String(value) : decimalText(value);
    case "decimal":
      if (typeof value === "number") return numberText(value);
      return typeof value === "string" && number.test(value) ? value : decimalText(value);
    case "timestamp":
    case "date":
    case "time":
      return dateTimeParameter(field, value);
    case "bytes":
      return value instanceof Uint8Array ? `\\x${Buffer.from(value).toString("hex")}` : undefined;
    default:
      return undefined;
  }
}

/** A date-time as PostgreSQL reads it for the column. */
export function dateTimeParameter(field: StoredField, value: unknown): string | undefined {
  const isDateTime = value instanceof PreciseDate || (value instanceof Date && !Number.isNaN(value.getTime()));
  return isDateTime ? timeText(field, dateTimeText(value)) : undefined;
}

/** Prisma rounds longer ones in some places; conditions of clients have them in a form that it does not round. */
const numberText = (value: number): string | undefined =>
  Number.isFinite(value) && isShortNumber(value) ? String(value) : undefined;

function decimalText(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || isPlainObject(value) || !("toFixed" in value)) return undefined;
  const text = (value as { toFixed(): string }).toFixed();
  return text;
}
