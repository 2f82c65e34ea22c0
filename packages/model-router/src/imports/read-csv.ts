import { httpErrors, isHttpError, type ValidationIssue } from "@servicekit/core";
import { inSlices, maxErrors } from "@servicekit/core/internal";
import type { StoredField } from "@servicekit/prisma";
import type { JsonTextReader } from "@servicekit/router/internal";
import { type FormReading, readFormRow } from "../resource/body/read-form-row.js";
import type { WritableModel } from "../resource/body/writable-model.js";
import { modelErrors } from "../resource/errors.js";
import { withoutFormulaGuard } from "../resource/values/formula-guard.js";
import type { Row } from "../resource/values/to-json.js";
import { type CsvRecord, commaHint, malformedCsv, readRecords, separatorName } from "./csv-records.js";
import { linePath } from "./places.js";

/** The number of columns that are read for any model, so that errors can name the unknown ones. */
const minColumns = 100;

/** The lines of a CSV file. */
export interface CsvLines {
  readonly header: number;
  /** The line of each item. */
  readonly items: readonly number[];
}

/**
 * Reads a CSV file into the items of a bulk create: the header has the names of fields, and each value is read by the
 * type of its field, as in a form. An empty cell is null, or no value if the field is required or a list; a quoted empty
 * cell is an empty text. Blank lines are skipped, except that an empty line is null if the only column is an optional
 * field.
 *
 * @param max maximum number of items, and of blank lines
 * @param onRead receives the lines, before the values of the items are read
 * @throws {HttpError} 400 that names lines and columns, 413 for too many items, blank lines or JSON values
 */
export async function readCsv(
  bytes: Buffer,
  writable: WritableModel,
  reading: FormReading,
  max: number,
  onRead: (lines: CsvLines) => void,
): Promise<readonly unknown[]> {
  const { header, rows, lines } = await readRows(bytes, writable, reading, max);
  if (rows.length === 0) throw withoutRows();
  onRead({ header, items: lines });
  const items: unknown[] = [];
  const issues: ValidationIssue[] = [];
  await inSlices(rows.entries(), ([index, row]) => {
    if (issues.length > maxErrors) return;
    try {
      items.push(readFormRow(writable, { ...reading, hasNull: true }, row, [String(index)]));
    } catch (error) {
      if (!isHttpError(error) || error.status !== 400) throw error;
      issues.push(...(error.errors ?? []));
    }
  });
  throwIssues(issues);
  return items;
}

interface Table {
  /** The line of the header. */
  readonly header: number;
  /** The texts of each row by the names of the header. */
  readonly rows: readonly Row[];
  /** The line of each row. */
  readonly lines: readonly number[];
}

async function readRows(bytes: Buffer, writable: WritableModel, reading: FormReading, max: number): Promise<Table> {
  const maxCells = Math.max(minColumns, 2 * writable.resource.model.fields.length);
  const rows: Row[] = [];
  const lines: number[] = [];
  const issues: ValidationIssue[] = [];
  let blankLines = 0;
  let columns: readonly Column[] | undefined;
  let header = 1;
  await inSlices(readRecords(bytes, maxCells), (record) => {
    const { line, cells, isBlank } = record;
    if (isBlank && (columns === undefined || !isRow(record, columns))) {
      if (++blankLines > max) throw modelErrors.BulkTooLarge(`The file has more than ${max} blank lines, the maximum.`);
    } else if (columns === undefined) {
      columns = readHeader(record, writable);
      header = line;
    } else {
      if (rows.length === max) throw modelErrors.BulkTooLarge(`The file has more than ${max} rows, the maximum.`);
      if (cells.length !== columns.length) {
        const message = `Expected ${columns.length} cells, as in the header, and found ${cells.length}.`;
        issues.push({ in: "body", path: linePath(line), code: "MalformedCsv", message });
        if (issues.length > maxErrors) throwIssues(issues);
      }
      lines.push(line);
      rows.push(toTexts(columns, cells, reading));
    }
  });
  throwIssues(issues);
  return { header, rows, lines };
}

function throwIssues(errors: readonly ValidationIssue[]): void {
  if (errors.length > 0) throw httpErrors.ValidationError(undefined, { errors, stack: false });
}

/** The error of a file without rows. */
export const withoutRows = (): Error =>
  httpErrors.ValidationError(undefined, {
    errors: [{ in: "body", path: "", code: "InvalidValue", message: "The file has no rows." }],
  });

interface Column {
  readonly name: string;
  /** `undefined` for an unknown name, which the schema of the body rejects. */
  readonly field: StoredField | undefined;
}

/** Whether a blank line of a file with these columns has a value, or the null of an optional field. */
function isRow({ cells: [cell] }: CsvRecord, [column, ...others]: readonly Column[]): boolean {
  const field = column?.field;
  return others.length === 0 && (cell !== null || (field !== undefined && emptyValue(field) === null));
}

function readHeader({ cells, line }: CsvRecord, { fields, resource }: WritableModel): readonly Column[] {
  // The first line of files for Excel may declare a separator; a cell ends at a comma.
  const declared = /^sep=(.?)/is.exec(cells[0] ?? "")?.[1];
  if (declared !== undefined)
    throw malformedCsv(
      line,
      `This line declares ${separatorName(declared || ",")} as the separator. Delete it. ${commaHint}`,
    );
  const names = cells.map((cell) => (cell ?? "").trim());
  const seen = new Set<string>();
  for (const [index, name] of names.entries()) {
    if (name === "") throw malformedCsv(line, `Column ${index + 1} has no name.`);
    if (name === "__proto__") throw malformedCsv(line, "The name __proto__ is not allowed.", name);
    const [separator] = /[;\t|]/.exec(name) ?? [];
    if (separator !== undefined)
      throw malformedCsv(line, `A name in the header contains ${separatorName(separator)}. ${commaHint}`);
    if (seen.has(name)) throw malformedCsv(line, `The column ${name.slice(0, 100)} appears twice.`, name);
    seen.add(name);
  }
  return names.map((name) => ({ name, field: fields.get(name) ?? resource.fields.get(name) }));
}

/** The texts of a record by name, without those of cells that have no value. */
function toTexts(columns: readonly Column[], cells: readonly (string | null)[], { parseJson }: FormReading): Row {
  const row: Record<string, unknown> = {};
  for (const [index, { name, field }] of columns.entries()) {
    const value = field === undefined ? cells[index] : toText(field, cells[index] ?? null, parseJson);
    if (value !== undefined) row[name] = value;
  }
  return row;
}

/** The value of an empty cell. */
const emptyValue = (field: StoredField): null | undefined => (field.isRequired || field.isList ? undefined : null);

function toText(field: StoredField, cell: string | null, parseJson: JsonTextReader): unknown {
  if (cell === null) return emptyValue(field);
  if (!field.isList) return readers[field.kind === "scalar" ? field.type : ""]?.(cell) ?? cell;
  try {
    const list = parseJson(cell);
    if (Array.isArray(list)) return list;
  } catch (error) {
    if (isHttpError(error)) throw error;
    // The schema of the body rejects the text.
  }
  return cell;
}

/** How the notations of spreadsheets and of exports become those of forms. */
const readers: Readonly<Record<string, ((cell: string) => string) | undefined>> = {
  Boolean: (cell) => (/^(?:true|false)$/i.test(cell) ? cell.toLowerCase() : cell),
  String: withoutFormulaGuard,
};
