import { type SqlLink, type TextRow } from "../database/sql-link.js";
import { type EnumField, type StoredField } from "../models/model.js";
import { compactJson, parseJson } from "../values/exact-json.js";
import { dateOfText, dateTimeTextOfSql } from "../values/moment.js";
import { withoutEnd } from "../values/without-end.js";
import { type ColumnForm, columnOf } from "./column.js";
import { isListed, type Member, type Shape } from "./shape.js";

/** Texts that JSON writes unchanged; longer ones are scanned faster natively. */
const plain = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/;
const quote = (text: string): string => (text.length < 600 && plain.test(text) ? `"${text}"` : JSON.stringify(text));

/** The JSON of a row in a response (contract C4), without creating the row. */
export function rowToJson(shape: Shape, row: TextRow): string {
  let json = "{";
  for (let index = 0; index < shape.length; index++) {
    const member = shape[index] as Member;
    const text = row[member.at];
    json += `${index === 0 ? "" : ","}${keyJson(member.name)}:`;
    if (text === null || text === undefined) json += isListed(member) ? "[]" : "null";
    else if (member.kind === "column") json += columnToJson(member.field, member.form, text);
    else if (member.kind === "one") json += rowToJson(member.shape, row);
    else
      json += `[${rowsOf(text)
        .map((inner) => rowToJson(member.shape, inner))
        .join(",")}]`;
  }
  return `${json}}`;
}

/** The rows of a to-many relation. A long text is parsed line by line, which takes no longer and can be interrupted. */
export const rowsOf = (text: string): readonly TextRow[] =>
  JSON.parse(`[${text.replaceAll("\n", ",")}]`) as readonly TextRow[];

/**
 * The same JSON as {@link rowToJson}, in pieces of at most one row without its related lists, so that a caller can
 * interrupt the work.
 */
export function* rowPieces(shape: Shape, row: TextRow): Generator<string, void, undefined> {
  let json = "{";
  for (const [index, member] of shape.entries()) {
    const text = row[member.at];
    if (member.kind === "column" || text === null || text === undefined) {
      json += `${index === 0 ? "" : ","}${rowToJson([member], row).slice(1, -1)}`;
      continue;
    }
    yield `${json}${index === 0 ? "" : ","}${keyJson(member.name)}:`;
    json = "";
    if (member.kind === "one") yield* rowPieces(member.shape, row);
    else yield* listPieces(member.shape, text);
  }
  yield `${json}}`;
}

function* listPieces(shape: Shape, text: string): Generator<string, void, undefined> {
  let before = "[";
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf("\n", start);
    const line = end === -1 ? text.slice(start) : text.slice(start, end);
    yield before;
    yield* rowPieces(shape, JSON.parse(line) as TextRow);
    before = ",";
    start += line.length + 1;
  }
  yield "]";
}

const keys = new Map<string, string>();

/** Names come from the models only, so their number is limited. */
function keyJson(name: string): string {
  let json = keys.get(name);
  if (json === undefined) {
    json = JSON.stringify(name);
    keys.set(name, json);
  }
  return json;
}

/** The JSON of one value from its text. */
function columnToJson(field: StoredField, form: ColumnForm, text: string): string {
  switch (form) {
    case "text":
      return quote(text);
    case "padded":
      return quote(withoutEnd(text, " "));
    case "enum":
      return quote(enumName(field as EnumField, text));
    case "integer":
      return text;
    case "bigint":
      return `"${text}"`;
    case "float":
      return isNumber(text) ? JSON.stringify(Number(text)) : `"${text}"`;
    case "decimal":
      return `"${decimalText(field, text)}"`;
    case "boolean":
      return text.charCodeAt(0) === 116 ? "true" : "false";
    case "timestamp":
    case "date":
    case "time":
      return `"${dateTimeOf(form, text)}"`;
    case "bytes":
      return `"${bytesOf(text).toString("base64")}"`;
    case "json":
      return compactJson(text);
    case "list":
      return listJson(field, itemForm(field), JSON.parse(text) as ListTexts);
  }
}

/** A column may also contain NaN and the infinities. */
export const isNumber = (text: string): boolean => text !== "NaN" && !text.endsWith("Infinity");

/** Hexadecimal digits, in a list with PostgreSQL's prefix. */
export const bytesOf = (text: string): Buffer => Buffer.from(text.startsWith("\\x") ? text.slice(2) : text, "hex");

/** The client's name of an enum value; one that is not in the schema is returned unchanged. */
export const enumName = ({ values, databaseValues }: EnumField, text: string): string =>
  values[databaseValues.indexOf(text)] ?? text;

/** The items of a list: lists again for several dimensions. */
export type ListTexts = readonly (string | null | ListTexts)[];

/** Maps each item of a list; NULL stays NULL. */
export function mapItems<Item>(items: ListTexts, make: (text: string) => Item): unknown[] {
  return items.map((item) => (item === null ? null : typeof item === "string" ? make(item) : mapItems(item, make)));
}

const listJson = (field: StoredField, form: ColumnForm, items: ListTexts): string =>
  `[${items
    .map((item) => {
      if (item === null) return "null";
      return typeof item === "string" ? columnToJson(field, form, item) : listJson(field, form, item);
    })
    .join(",")}]`;

/** The forms of date-time, date and time columns. */
export type DateTimeForm = "timestamp" | "date" | "time";

/** A date-time in a response. */
export function dateTimeOf(form: DateTimeForm, text: string): string {
  if (form === "date" && text.length === 10) return `${text}T00:00:00.000Z`;
  if (form === "time") return timeOfDay(text);
  const found = instantText(text) ?? dateTimeTextOfSql(text);
  if (found === undefined) throw new TypeError("The session of the database does not write dates in ISO format.");
  return found;
}

/** `2025-01-31 08:00:00.123456+00` in JavaScript's format, with microseconds if there are any. */
function instantText(text: string): string | undefined {
  const end = text.endsWith("+00") ? text.length - 3 : text.length;
  // 19 characters and up to six places; anything else is of another year or era.
  if (end > 26 || text.charCodeAt(10) !== 32 || text.charCodeAt(4) !== 45 || text.endsWith("C")) return undefined;
  const fraction = end === 19 ? "000" : text.slice(20, end).padEnd(end > 23 ? 6 : 3, "0");
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction}Z`;
}

/** A time on 1970-01-01; PostgreSQL's 24:00 is the start of the next day. */
function timeOfDay(text: string): string {
  const [clock = "", fraction = ""] = text.replace(/[+-]\d\d(:\d\d){0,2}$/, "").split(".");
  if (clock === "24:00:00") return "1970-01-02T00:00:00.000Z";
  return `1970-01-01T${clock}.${fraction.padEnd(fraction.length > 3 ? 6 : 3, "0")}Z`;
}

/** The value of a column in a row. */
export function columnToValue(
  field: StoredField,
  form: ColumnForm,
  text: string,
  decimal: SqlLink["decimal"],
): unknown {
  switch (form) {
    case "text":
    case "padded":
      return text;
    case "enum":
      return enumName(field as EnumField, text);
    case "integer":
    case "float":
      return Number(text);
    case "bigint":
      return BigInt(text);
    case "decimal":
      return decimal(text);
    case "boolean":
      return text.charCodeAt(0) === 116;
    case "timestamp":
    case "date":
    case "time":
      return dateOfText(dateTimeOf(form, text));
    case "bytes":
      return new Uint8Array(bytesOf(text));
    case "json":
      return parseJson(text);
    case "list":
      return mapItems(JSON.parse(text) as ListTexts, (item) => columnToValue(field, itemForm(field), item, decimal));
  }
}

/** How the items of a list are read. */
const itemForm = (field: StoredField): ColumnForm => columnOf(field).item ?? "text";

/** The column's number of places; if Prisma's default leaves it open, as many as needed. */
function decimalText({ nativeType }: StoredField, text: string): string {
  const places = nativeType?.name === "Money" ? 2 : Number(nativeType?.args[1] ?? 0);
  const point = text.indexOf(".");
  if (point === -1) return places === 0 || !/^-?\d+$/.test(text) ? text : `${text}.${"0".repeat(places)}`;
  if (text.length - point - 1 === places) return text;
  const plain = withoutEnd(withoutEnd(text, "0"), ".");
  if (places === 0) return plain;
  const [integer = "", fraction = ""] = plain.split(".");
  return `${integer}.${fraction.padEnd(places, "0")}`;
}
