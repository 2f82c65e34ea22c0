import Papa from "papaparse";
import type { Row } from "../api/shop.js";
import { type FormField, toBody } from "./form-fields.js";
import type { FieldInfo } from "./model-info.js";

/** A value in one cell: lists and JSON as JSON. */
const toCell = (value: unknown): string =>
  value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);

/** The characters with which a spreadsheet formula starts; Excel also reads full-width characters. */
const formulaSigns: ReadonlySet<string> = new Set("=+-@＝＋－＠");

/**
 * Where a spreadsheet may start another cell: with a semicolon as the separator, quotes inside a line have no effect.
 */
const cellEnds: ReadonlySet<string> = new Set(";\t\r\n");

/** Text that is a plain number, not a formula. */
const plainNumber = /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i;

/**
 * The positions of a text at which a spreadsheet may read a formula, including after blanks and apostrophes; and the
 * start of the text if it is a control character.
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

/**
 * Prefixes everything that a spreadsheet would run as a formula with an apostrophe. {@link withoutGuards} removes it.
 */
function guardFormulas(text: string): string {
  if (plainNumber.test(text)) return text;
  const places = formulaPlaces(text);
  if (places.size === 0) return text;
  return Array.from({ length: text.length }, (_, at) => (places.has(at) ? "'" : "") + text.charAt(at)).join("");
}

/** A text as it was before the export. */
function withoutGuards(text: string): string {
  const places = formulaPlaces(text);
  if (places.size === 0) return text;
  const isGuard = (at: number): boolean => places.has(at) && text.charAt(at) === "'";
  return Array.from({ length: text.length }, (_, at) => (isGuard(at) ? "" : text.charAt(at))).join("");
}

/** Rows as CSV (RFC 4180). Formulas get an apostrophe as a prefix. */
export function toCsv(fields: readonly FieldInfo[], rows: readonly Row[], hasHead: boolean): string {
  const data = rows.map((row) => fields.map(({ name }) => guardFormulas(toCell(row[name]))));
  const head = hasHead ? [fields.map(({ name }) => name)] : [];
  return `${Papa.unparse([...head, ...data], { newline: "\r\n" })}\r\n`;
}

/** A line of an imported file: its row, or its errors. */
export interface ReadLine {
  readonly line: number;
  readonly row: Row;
  readonly issues: readonly string[];
}

export interface ReadFile {
  /** Columns that are not fields. */
  readonly unknown: readonly string[];
  /** Fields without a column. */
  readonly missing: readonly string[];
  /** Fields with several columns. */
  readonly doubled: readonly string[];
  readonly lines: readonly ReadLine[];
}

interface CellLine {
  /** Its line in the file, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
  readonly issues: readonly string[];
}

/** The records of a file; quoted line breaks do not end a line. */
function readCells(text: string): readonly CellLine[] {
  const lines: CellLine[] = [];
  let line = 1;
  let from = 0;
  Papa.parse<string[]>(text, {
    step: ({ data, errors, meta }) => {
      const issues = errors.flatMap(({ type, message }) => (type === "Delimiter" ? [] : [message]));
      lines.push({ line, cells: data, issues });
      line += text.slice(from, meta.cursor).match(/\r\n|\r|\n/g)?.length ?? 0;
      from = meta.cursor;
    },
  });
  // The parser also returns the text after the last line break.
  const last = lines.at(-1);
  return last?.cells.length === 1 && last.cells[0] === "" ? lines.slice(0, -1) : lines;
}

/** Whether a line is empty, or has only white space. */
const isBlank = ({ cells: [first = "", ...others], issues }: CellLine): boolean =>
  issues.length === 0 && others.length === 0 && first.trim() === "";

/**
 * Reads a CSV file and validates it against the fields of a new row; sends nothing.
 *
 * @param unique the unique fields, alone or together
 */
export function readCsv(
  text: string,
  fields: readonly FormField[],
  unique: readonly (readonly string[])[] = [],
): ReadFile {
  const all = readCells(text.replace(/^\ufeff/, ""));
  const start = all.findIndex((line) => !isBlank(line));
  const names = all[start]?.cells.map((name) => name.trim()) ?? [];
  const byName = new Map(fields.map((field) => [field.name, field]));
  const [only, ...others] = names.map((name) => byName.get(name));
  // Without a value in the only, optional field, a row is an empty line.
  const hasEmptyRows = only?.isRequired === false && others.length === 0;
  const rest = all.slice(start + 1).filter((line) => hasEmptyRows || !isBlank(line));
  const taken = new Map<string, number>();
  const lines = rest.map(({ line, cells, issues: broken }): ReadLine => {
    const row: Record<string, unknown> = {};
    const issues = [...broken];
    const wrong = new Set<string>();
    if (cells.length !== names.length) issues.push(`has ${cells.length} cells instead of ${names.length}`);
    for (const [at, name] of names.entries()) {
      const field = byName.get(name);
      const cell = cells[at];
      if (field === undefined || cell === undefined) continue;
      try {
        const value = readCell(field, cell);
        if (value !== undefined) row[name] = value;
        const issue = value === undefined || value === null ? undefined : validate(field, value);
        if (issue !== undefined) issues.push(`${name} ${issue}`);
      } catch (error) {
        wrong.add(name);
        issues.push(`${name} ${(error as Error).message}`);
      }
    }
    for (const { name, isRequired } of fields)
      if (isRequired && row[name] === undefined && !wrong.has(name)) issues.push(`${name} is required`);
    for (const key of unique) {
      const values = key.map((name) => row[name]);
      if (values.some((value) => value === undefined || value === null)) continue;
      const identity = JSON.stringify([key, values]);
      const before = taken.get(identity);
      if (before === undefined) taken.set(identity, line);
      else issues.push(`${key.join(", ")} is the same as in line ${before}`);
    }
    return { line, row, issues };
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

/** The errors of a value by the schema of its field, as far as a page can validate it. */
function validate(field: FormField, value: unknown): string | undefined {
  const each = field.isList ? (value as readonly unknown[]) : [value];
  for (const one of each) {
    const issue = validateOne(field, one);
    if (issue !== undefined) return issue;
  }
  return undefined;
}

function validateOne({ values, kind, schema }: FormField, value: unknown): string | undefined {
  if (kind === "enum" && !values.includes(String(value))) return `must be one of ${values.join(", ")}`;
  if (typeof value === "number") {
    if (kind === "integer" && !Number.isSafeInteger(value)) return "must be an integer";
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
  if (schema.pattern !== undefined && !fits(value, schema.pattern)) return "does not match the schema";
  return undefined;
}

function fits(text: string, pattern: string): boolean {
  try {
    return new RegExp(pattern, "u").test(text);
  } catch {
    // A pattern of another regex dialect: only the service can check it.
    return true;
  }
}

/** Whether the service would read a text as a date: ISO 8601, and an existing day. */
function isDate(text: string): boolean {
  const [, day = "", rest = ""] =
    /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/i.exec(text) ?? [];
  const begin = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(begin.getTime()) || begin.toISOString().slice(0, 10) !== day) return false;
  return rest === "" || !Number.isNaN(Date.parse(text));
}
