import type { EnumField, Model, StoredField } from "../models/model.js";
import { quoteText } from "../models/quote-name.js";
import { type Column, columnOf } from "./column.js";
import { giveUp } from "./not-foldable.js";

/** The maximum number of members of one call: PostgreSQL's functions have at most 100 arguments. */
const maxMembers = 50;

/** Compiles fields of a row to one JSON object in the form of a response (contract C4). */
export function stateJson(fields: readonly StoredField[], alias: string): string {
  const members = fields.map(
    (field) => `${quoteText(field.name)}, ${fieldJson(field, `${alias}.${columnOf(field).name}`)}`,
  );
  const parts: string[] = [];
  for (let start = 0; start < members.length; start += maxMembers)
    parts.push(`jsonb_build_object(${members.slice(start, start + maxMembers).join(", ")})`);
  return parts.length === 0 ? giveUp() : parts.join(" || ");
}

/** Compiles the key of a row to its text in a path (contract C7), as `writeKey` writes it. */
export function keyText({ key }: Model, alias: string): string {
  const fields = key?.fields ?? [];
  const parts = fields.map((field) => {
    const { form, name } = columnOf(field);
    if (field.isList) return giveUp();
    if (form === "integer" || form === "bigint" || field.nativeType?.name === "Uuid") return `${alias}.${name}::text`;
    const isText = form === "text" && /^(Text|VarChar)$/.test(field.nativeType?.name ?? "Text");
    return isText ? encodedText(`${alias}.${name}`, fields.length === 1) : giveUp();
  });
  return parts.length === 0 ? giveUp() : parts.join(` || ',' || `);
}

/** A text as `encodeURIComponent` writes it; alone, it is also different from the path of the bulk operations. */
function encodedText(column: string, isAlone: boolean): string {
  const plain = `[A-Za-z0-9_.!~*''()-]`;
  const text = `${column}::text COLLATE "C"`;
  const encoded = `regexp_replace(upper(encode(convert_to(c, 'UTF8'), 'hex')), '(..)', '%\\1', 'g')`;
  const characters = `regexp_split_to_table(${text}, '') WITH ORDINALITY AS s(c, n)`;
  const each = `string_agg(CASE WHEN c ~ '${plain}' THEN c ELSE ${encoded} END, '' ORDER BY n)`;
  const many = isAlone
    ? ` WHEN lower(${text}) = 'many' THEN '%' || upper(to_hex(ascii(${column}))) || substr(${column}::text, 2)`
    : "";
  return `CASE${many} WHEN ${text} ~ '^${plain}*$' THEN ${column}::text ELSE (SELECT ${each} FROM ${characters}) END`;
}

function fieldJson(field: StoredField, column: string): string {
  const { form, item, read } = columnOf(field);
  if (form === "list") return listJson(field, item, column);
  switch (form) {
    case "text":
    case "padded":
    case "bigint":
      return `${read(column)}::text`;
    case "integer":
      return isOid(field) ? `${column}::bigint` : column;
    case "boolean":
    case "json":
      return column;
    case "float":
      return field.nativeType?.name === "Real" ? giveUp() : column;
    case "decimal":
      return decimalText(field, column);
    case "enum":
      return enumText(field as EnumField, column);
    case "bytes":
      return `replace(encode(${column}, 'base64'), E'\\n', '')`;
    case "timestamp":
      return timestampText(field, column);
    case "date":
      return `CASE WHEN isfinite(${column}) THEN to_char(${column}, 'YYYY-MM-DD"T00:00:00.000Z"') ELSE ${column}::text END`;
    default:
      return giveUp();
  }
}

/** JSON of PostgreSQL has an object id as text. */
const isOid = ({ nativeType }: StoredField): boolean => nativeType?.name === "Oid";

/** A missing list is empty for clients. */
function listJson(field: StoredField, item: Column["item"], column: string): string {
  const isPlain =
    item === "text" || item === "boolean" || item === "integer" || (item === "enum" && isUnmapped(field as EnumField));
  return isPlain && !isOid(field) ? `coalesce(to_jsonb(${column}), '[]')` : giveUp();
}

const isUnmapped = ({ values, databaseValues }: EnumField): boolean =>
  values.every((value, index) => value === databaseValues[index]);

/** With as many places as its column has, otherwise without zeros at the end. */
function decimalText({ nativeType }: StoredField, column: string): string {
  if (nativeType?.name === "Money") return giveUp();
  return Number(nativeType?.args[1] ?? 0) > 0 ? `${column}::text` : `trim_scale(${column})::text`;
}

function enumText(field: EnumField, column: string): string {
  if (isUnmapped(field)) return `${column}::text`;
  const cases = field.values.map(
    (value, index) => `WHEN ${quoteText(field.databaseValues[index] ?? value)} THEN ${quoteText(value)}`,
  );
  return `CASE ${column}::text ${cases.join(" ")} END`;
}

/** Milliseconds, or microseconds if the value has any. */
function timestampText({ nativeType }: StoredField, column: string): string {
  const utc = nativeType?.name === "Timestamptz" ? `(${column} AT TIME ZONE 'UTC')` : column;
  const isShort = Number(nativeType?.args[0] ?? (nativeType === undefined ? 3 : 6)) <= 3;
  const shown = isShort
    ? `to_char(${utc}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    : `regexp_replace(to_char(${utc}, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), '000Z$', 'Z')`;
  return `CASE WHEN isfinite(${column}) THEN ${shown} ELSE ${column}::text END`;
}
