import Papa from "papaparse";
import type { Row } from "../api/shop.js";
import { type FormField, toBody } from "./form-fields.js";
import type { FieldInfo } from "./model-info.js";

/** A value in one cell: lists and JSON as JSON. */
const toCell = (value: unknown): string =>
  value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);

/** A text that a program for tables would take for a formula; a plain number is none. */
const isFormula = (text: string): boolean => /^[=+\-@\t\r]/.test(text) && !/^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text);

/** Rows as CSV (RFC 4180). What would be a formula in a program for tables gets an apostrophe before it. */
export function toCsv(fields: readonly FieldInfo[], rows: readonly Row[], hasHead: boolean): string {
  const cell = (value: unknown): string => {
    const text = toCell(value);
    return isFormula(text) ? `'${text}` : text;
  };
  const data = rows.map((row) => fields.map(({ name }) => cell(row[name])));
  const head = hasHead ? [fields.map(({ name }) => name)] : [];
  return `${Papa.unparse([...head, ...data], { newline: "\r\n" })}\r\n`;
}

/** A line of a file that is read: the row of it, or what is wrong. */
export interface ReadLine {
  readonly line: number;
  readonly row: Row;
  readonly faults: readonly string[];
}

export interface ReadFile {
  /** Columns that are no field. */
  readonly unknown: readonly string[];
  /** Fields that have no column. */
  readonly missing: readonly string[];
  readonly lines: readonly ReadLine[];
}

/** Reads a CSV file against the fields of a new row; nothing is sent for that. */
export function readCsv(text: string, fields: readonly FormField[]): ReadFile {
  const { data, errors } = Papa.parse<Record<string, string>>(text, { header: true, skipEmptyLines: "greedy" });
  const names = Object.keys(data[0] ?? {});
  const byName = new Map(fields.map((field) => [field.name, field]));
  const lines = data.map((cells, at): ReadLine => {
    const row: Record<string, unknown> = {};
    const faults: string[] = errors.filter((error) => error.row === at).map((error) => error.message);
    for (const [name, cell] of Object.entries(cells)) {
      const field = byName.get(name);
      if (field === undefined || typeof cell !== "string") continue;
      try {
        const value = readCell(field, cell);
        if (value !== undefined) row[name] = value;
        const fault = value === undefined || value === null ? undefined : judge(field, value);
        if (fault !== undefined) faults.push(`${name} ${fault}`);
      } catch (error) {
        faults.push(`${name} ${(error as Error).message}`);
      }
    }
    for (const { name, isRequired } of fields)
      if (isRequired && row[name] === undefined) faults.push(`${name} is required`);
    return { line: at + 2, row, faults };
  });
  return {
    unknown: names.filter((name) => !byName.has(name)),
    missing: fields.filter(({ name, isRequired }) => isRequired && !names.includes(name)).map(({ name }) => name),
    lines,
  };
}

function readCell(field: FormField, given: string): unknown {
  // What an export has guarded.
  const cell = given.startsWith("'") && isFormula(given.slice(1)) ? given.slice(1) : given;
  if (cell === "") return undefined;
  if (field.isList) {
    const list = cell.startsWith("[") ? (JSON.parse(cell) as unknown) : cell.split(",").map((each) => each.trim());
    if (!Array.isArray(list)) throw new Error("must be a list");
    return toBody(field, list);
  }
  if (field.kind === "boolean") {
    if (/^(true|yes|1)$/i.test(cell)) return true;
    if (/^(false|no|0)$/i.test(cell)) return false;
    throw new Error("must be true or false");
  }
  if (field.kind === "datetime") return cell;
  return toBody(field, cell);
}

/** What the schema of a field says against a value, as far as a page can judge it. */
function judge({ values, kind, isList, schema }: FormField, value: unknown): string | undefined {
  const each = isList ? (value as readonly unknown[]) : [value];
  if (kind === "enum" && !each.every((one) => values.includes(String(one))))
    return `must be one of ${values.join(", ")}`;
  if (isList) return undefined;
  if (kind === "integer" && !Number.isInteger(value)) return "must be a whole number";
  if (typeof value === "number" && schema.maximum !== undefined && value > schema.maximum)
    return `must be at most ${schema.maximum}`;
  if (typeof value === "number" && schema.minimum !== undefined && value < schema.minimum)
    return `must be at least ${schema.minimum}`;
  if (typeof value !== "string") return undefined;
  if (schema.maxLength !== undefined && [...value].length > schema.maxLength)
    return `has more than ${schema.maxLength} characters`;
  if (kind === "datetime" && Number.isNaN(Date.parse(value))) return "must be a date";
  if (schema.pattern !== undefined && !new RegExp(schema.pattern, "u").test(value))
    return "has another form than the schema says";
  return undefined;
}
