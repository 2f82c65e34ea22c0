import Papa from "papaparse";
import type { Row } from "../api/shop.js";
import { type FormField, toBody } from "./form-fields.js";
import type { FieldInfo } from "./model-info.js";

/** A value in one cell: lists and JSON as JSON. */
const toCell = (value: unknown): string =>
  value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);

/** What a spreadsheet takes for the beginning of a formula; Excel reads full-width characters too. */
const formulaSigns: ReadonlySet<string> = new Set("=+-@＝＋－＠");

/** Where a spreadsheet may begin another cell: with a semicolon as its separator, quotes inside of a line mean nothing. */
const cellEnds: ReadonlySet<string> = new Set(";\t\r\n");

/** Text that is a plain number, and no formula. */
const plainNumber = /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i;

/**
 * The places of a text at which a spreadsheet may read a formula, though blanks and apostrophes stand before it; the start,
 * where a control character stands there, as well.
 */
function formulaPlaces(text: string): ReadonlySet<number> {
  const places = new Set<number>();
  let leads = false;
  for (let at = text.length - 1; at >= 0; at--) {
    const sign = text.charAt(at);
    leads = formulaSigns.has(sign) || (leads && (sign === "'" || sign.trim() === ""));
    if (leads && (at === 0 || cellEnds.has(text.charAt(at - 1)))) places.add(at);
  }
  return /^'*[\t\r\n]/.test(text) ? places.add(0) : places;
}

/** Puts an apostrophe before everything that a spreadsheet would run as a formula. {@link withoutGuards} takes it away. */
function guardFormulas(text: string): string {
  if (plainNumber.test(text)) return text;
  const places = formulaPlaces(text);
  if (places.size === 0) return text;
  return Array.from({ length: text.length }, (_, at) => (places.has(at) ? "'" : "") + text.charAt(at)).join("");
}

/** A text as it was before it was exported. */
function withoutGuards(text: string): string {
  const places = formulaPlaces(text);
  if (places.size === 0) return text;
  const isGuard = (at: number): boolean => places.has(at) && text.charAt(at) === "'";
  return Array.from({ length: text.length }, (_, at) => (isGuard(at) ? "" : text.charAt(at))).join("");
}

/** Rows as CSV (RFC 4180). What would be a formula in a spreadsheet gets an apostrophe before it. */
export function toCsv(fields: readonly FieldInfo[], rows: readonly Row[], hasHead: boolean): string {
  const data = rows.map((row) => fields.map(({ name }) => guardFormulas(toCell(row[name]))));
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
  /** Fields that have several. */
  readonly doubled: readonly string[];
  readonly lines: readonly ReadLine[];
}

interface CellLine {
  /** Where it begins in the file, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
  readonly faults: readonly string[];
}

/** The lines of a file that hold anything; one that holds quoted line breaks is one. */
function readCells(text: string): readonly CellLine[] {
  const lines: CellLine[] = [];
  let line = 1;
  let from = 0;
  Papa.parse<string[]>(text, {
    step: ({ data, errors, meta }) => {
      const faults = errors.flatMap(({ type, message }) => (type === "Delimiter" ? [] : [message]));
      if (faults.length > 0 || data.some((cell) => cell.trim() !== "")) lines.push({ line, cells: data, faults });
      line += text.slice(from, meta.cursor).match(/\r\n|\r|\n/g)?.length ?? 0;
      from = meta.cursor;
    },
  });
  return lines;
}

/**
 * Reads a CSV file against the fields of a new row; nothing is sent for that.
 *
 * @param unique the fields, alone or together, in which no two rows may be equal
 */
export function readCsv(
  text: string,
  fields: readonly FormField[],
  unique: readonly (readonly string[])[] = [],
): ReadFile {
  const [head, ...rest] = readCells(text.replace(/^\ufeff/, ""));
  const names = head?.cells.map((name) => name.trim()) ?? [];
  const byName = new Map(fields.map((field) => [field.name, field]));
  const taken = new Map<string, number>();
  const lines = rest.map(({ line, cells, faults: broken }): ReadLine => {
    const row: Record<string, unknown> = {};
    const faults = [...broken];
    const wrong = new Set<string>();
    if (cells.length !== names.length) faults.push(`has ${cells.length} cells, and not ${names.length}`);
    for (const [at, name] of names.entries()) {
      const field = byName.get(name);
      const cell = cells[at];
      if (field === undefined || cell === undefined) continue;
      try {
        const value = readCell(field, cell);
        if (value !== undefined) row[name] = value;
        const fault = value === undefined || value === null ? undefined : judge(field, value);
        if (fault !== undefined) faults.push(`${name} ${fault}`);
      } catch (error) {
        wrong.add(name);
        faults.push(`${name} ${(error as Error).message}`);
      }
    }
    for (const { name, isRequired } of fields)
      if (isRequired && row[name] === undefined && !wrong.has(name)) faults.push(`${name} is required`);
    for (const key of unique) {
      const values = key.map((name) => row[name]);
      if (values.some((value) => value === undefined || value === null)) continue;
      const said = JSON.stringify([key, values]);
      const before = taken.get(said);
      if (before === undefined) taken.set(said, line);
      else faults.push(`${key.join(", ")} is that of line ${before}`);
    }
    return { line, row, faults };
  });
  return {
    unknown: names.filter((name) => !byName.has(name)),
    missing: fields.filter(({ name, isRequired }) => isRequired && !names.includes(name)).map(({ name }) => name),
    doubled: [...byName.keys()].filter((name) => names.filter((each) => each === name).length > 1),
    lines,
  };
}

function readCell(field: FormField, given: string): unknown {
  const cell = withoutGuards(given);
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
function judge(field: FormField, value: unknown): string | undefined {
  const each = field.isList ? (value as readonly unknown[]) : [value];
  for (const one of each) {
    const fault = judgeOne(field, one);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function judgeOne({ values, kind, schema }: FormField, value: unknown): string | undefined {
  if (kind === "enum" && !values.includes(String(value))) return `must be one of ${values.join(", ")}`;
  if (typeof value === "number") {
    if (kind === "integer" && !Number.isSafeInteger(value)) return "must be a whole number";
    if (schema.maximum !== undefined && value > schema.maximum) return `must be at most ${schema.maximum}`;
    if (schema.minimum !== undefined && value < schema.minimum) return `must be at least ${schema.minimum}`;
  }
  if (typeof value !== "string") return undefined;
  const length = [...value].length;
  if (schema.maxLength !== undefined && length > schema.maxLength)
    return `has more than ${schema.maxLength} characters`;
  if (schema.minLength !== undefined && length < schema.minLength)
    return `has less than ${schema.minLength} characters`;
  if (kind === "datetime" && !isDate(value)) return "must be a date, such as 2026-01-31";
  if (schema.pattern !== undefined && !fits(value, schema.pattern)) return "has another form than the schema says";
  return undefined;
}

function fits(text: string, pattern: string): boolean {
  try {
    return new RegExp(pattern, "u").test(text);
  } catch {
    // A pattern of another language: the service judges by it.
    return true;
  }
}

/** Whether the service would read a text as a date: ISO 8601, and a day that there is. */
function isDate(text: string): boolean {
  const [, day = "", rest = ""] =
    /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/i.exec(text) ?? [];
  const begin = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(begin.getTime()) || begin.toISOString().slice(0, 10) !== day) return false;
  return rest === "" || !Number.isNaN(Date.parse(text));
}
