import { httpErrors, isHttpError, type ValidationIssue } from "@servicekit/core";
import { maxErrors } from "@servicekit/core/internal";
import type { StoredField } from "@servicekit/prisma";
import type { JsonTextReader } from "@servicekit/router/internal";
import { type FormReading, readFormRow } from "../resource/body/read-form-row.js";
import type { WritableModel } from "../resource/body/writable-model.js";
import { modelErrors } from "../resource/errors.js";
import type { Row } from "../resource/values/to-json.js";
import { malformedCsv, readRecords } from "./csv-records.js";
import { linePath } from "./places.js";

/** The number of columns that are read for any model, so that errors can name the unknown ones. */
const minColumns = 100;

/**
 * Reads a CSV file into the items of a bulk create: the header has the names of fields, and each value is read by the
 * type of its field, as in a form. An empty cell is null, or no value if the field is required or a list; a quoted empty
 * cell is an empty text.
 *
 * @param max maximum number of items
 * @param onRead receives the lines of the items, before their values are read
 * @throws {HttpError} 400 that names lines and columns, 413 for too many items or JSON values
 */
export async function readCsv(
  bytes: Buffer,
  writable: WritableModel,
  reading: FormReading,
  max: number,
  onRead: (lines: readonly number[]) => void,
): Promise<readonly unknown[]> {
  const lines: number[] = [];
  const rows: Row[] = [];
  const issues: ValidationIssue[] = [];
  let names: readonly string[] | undefined;
  const maxColumns = Math.max(minColumns, 2 * writable.resource.model.fields.length);
  for await (const { line, cells } of readRecords(bytes, maxColumns)) {
    if (names === undefined) {
      names = readHeader(cells, line);
      continue;
    }
    if (rows.length === max) throw modelErrors.BulkTooLarge(`The file has more than ${max} rows, the maximum.`);
    if (cells.length !== names.length) {
      const message = `Expected ${names.length} cells, as in the header, and found ${cells.length}.`;
      issues.push({ in: "body", path: linePath(line), code: "MalformedCsv", message });
      if (issues.length > maxErrors) break;
    }
    lines.push(line);
    rows.push(toTexts(names, cells, writable, reading));
  }
  if (issues.length > 0) throw httpErrors.ValidationError(undefined, { errors: issues, stack: false });
  if (rows.length === 0) throw withoutRows();
  onRead(lines);
  const items = rows.map((row, index) => {
    try {
      return readFormRow(writable, reading, row, [String(index)]);
    } catch (error) {
      if (!isHttpError(error) || error.status !== 400) throw error;
      issues.push(...(error.errors ?? []));
      return row;
    }
  });
  if (issues.length > 0) throw httpErrors.ValidationError(undefined, { errors: issues, stack: false });
  return items;
}

/** The error of a file without rows. */
export const withoutRows = (): Error =>
  httpErrors.ValidationError(undefined, {
    errors: [{ in: "body", path: "", code: "InvalidValue", message: "The file has no rows." }],
  });

/** The names of the columns. */
function readHeader(cells: readonly (string | null)[], line: number): readonly string[] {
  const names = cells.map((cell) => (cell ?? "").trim());
  const seen = new Set<string>();
  for (const [index, name] of names.entries()) {
    if (name === "") throw malformedCsv(line, `Column ${index + 1} has no name.`);
    if (name === "__proto__") throw malformedCsv(line, "The name __proto__ is not allowed.", undefined, name);
    if (seen.has(name)) throw malformedCsv(line, `The column ${name.slice(0, 100)} appears twice.`, undefined, name);
    seen.add(name);
  }
  return names;
}

/** The texts of a record by name, without those of cells that have no value. */
function toTexts(
  names: readonly string[],
  cells: readonly (string | null)[],
  { fields, resource }: WritableModel,
  { parseJson }: FormReading,
): Row {
  const row: Record<string, unknown> = {};
  for (const [index, name] of names.entries()) {
    const field = fields.get(name) ?? resource.fields.get(name);
    const value = field === undefined ? cells[index] : toText(field, cells[index] ?? null, parseJson);
    if (value !== undefined) row[name] = value;
  }
  return row;
}

function toText(field: StoredField, cell: string | null, parseJson: JsonTextReader): unknown {
  if (cell === null) return field.isRequired || field.isList ? undefined : null;
  if (!field.isList) return cell;
  try {
    const list = parseJson(cell);
    if (Array.isArray(list)) return list;
  } catch (error) {
    if (isHttpError(error)) throw error;
    // The schema of the body rejects the text.
  }
  return cell;
}
