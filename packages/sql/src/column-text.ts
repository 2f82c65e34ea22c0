import type { EnumField, StoredField, TextRow } from "@servicekit/orm";
import type { ColumnForm } from "./column.js";
import { isListed, type Member, type Shape } from "./shape.js";

/** Texts that JSON writes as they are; longer ones are looked at faster natively. */
const plain = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/;
const quote = (text: string): string => (text.length < 600 && plain.test(text) ? `"${text}"` : JSON.stringify(text));

/** The JSON of a row as an answer shows it (contract C4), without making the row. */
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

/** The rows of a relation to many. A long text is parsed line by line, which takes no longer and can be interrupted. */
export const rowsOf = (text: string): readonly TextRow[] =>
  JSON.parse(`[${text.replaceAll("\n", ",")}]`) as readonly TextRow[];

/**
 * The same JSON as {@link rowToJson}, in pieces of at most one row without its related lists, so that a caller can interrupt
 * the work between them.
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

/** Names come from the models alone, so there are only so many. */
function keyJson(name: string): string {
  let json = keys.get(name);
  if (json === undefined) {
    json = JSON.stringify(name);
    keys.set(name, json);
  }
  return json;
}

function columnToJson(field: StoredField, form: ColumnForm, text: string): string {
  switch (form) {
    case "text":
      return quote(text);
    case "padded":
      return quote(text.replace(/ +$/, ""));
    case "enum":
      return quote(enumName(field as EnumField, text));
    case "integer":
      return text;
    case "bigint":
      return `"${text}"`;
    case "float":
      return JSON.stringify(Number(text));
    case "decimal":
      return `"${decimalText(field, text)}"`;
    case "boolean":
      return text.charCodeAt(0) === 116 ? "true" : "false";
    case "timestamp":
      return instantJson(text);
    case "date":
      return text.length === 10 ? `"${text}T00:00:00.000Z"` : dateJson(dayOf(text));
    case "bytes":
      return `"${Buffer.from(text, "hex").toString("base64")}"`;
    case "json":
      return JSON.stringify(JSON.parse(text));
    case "list":
      return JSON.stringify(listItems(field, text));
  }
}

/** The name of a value as it stands in the database. */
export function enumName({ name, values, databaseValues }: EnumField, text: string): string {
  const found = values[databaseValues.indexOf(text)];
  if (found === undefined) throw new Error(`Value '${text}' of ${name} is none of the schema's.`);
  return found;
}

/** The items of a list; those of an enum by their names. */
export function listItems(field: StoredField, text: string): readonly unknown[] {
  const items = JSON.parse(text) as readonly unknown[];
  return field.kind === "enum" ? items.map((item) => item && enumName(field, String(item))) : items;
}

const instantJson = (text: string): string => {
  const iso = instantText(text);
  return iso === undefined ? dateJson(instantOf(text)) : `"${iso}"`;
};

/** `2025-01-31 08:00:00.123456+00` in the form of JavaScript, cut to milliseconds as `Date` cuts it. */
function instantText(text: string): string | undefined {
  const end = text.endsWith("+00") ? text.length - 3 : text.length;
  // 19 characters and up to six places; anything else is a year that `Date` reads in its own way.
  if (end > 26 || text.charCodeAt(10) !== 32 || text.charCodeAt(4) !== 45) return undefined;
  const milliseconds = end === 19 ? "000" : end >= 23 ? text.slice(20, 23) : text.slice(20, end).padEnd(3, "0");
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${milliseconds}Z`;
}

const dateJson = (date: Date): string => (Number.isNaN(date.getTime()) ? "null" : `"${date.toISOString()}"`);

/** As the driver and Prisma read it. */
export const instantOf = (text: string): Date =>
  new Date(instantText(text) ?? `${text.replace(" ", "T").replace(/[+-]\d{2}(:\d{2})?$/, "")}+00:00`);

/** As Prisma reads it. */
export const dayOf = (text: string): Date => new Date(text);

/** As many places as the column has; where Prisma's default leaves them open, as many as are needed. */
function decimalText({ nativeType }: StoredField, text: string): string {
  const places = nativeType === undefined ? 0 : Number(nativeType.args[1] ?? 0);
  const point = text.indexOf(".");
  if (point === -1) return places === 0 || !/^-?\d+$/.test(text) ? text : `${text}.${"0".repeat(places)}`;
  if (text.length - point - 1 === places) return text;
  const plain = text.replace(/\.?0+$/, "");
  if (places === 0) return plain;
  const [whole = "", fraction = ""] = plain.split(".");
  return `${whole}.${fraction.padEnd(places, "0")}`;
}
