import { httpErrors } from "@servicekit/core";
import { linePath } from "./places.js";

/** A record of a CSV file. */
export interface CsvRecord {
  /** The line at which it starts, from 1. */
  readonly line: number;
  /** Its cells; `null` for one without text and without quotes. */
  readonly cells: readonly (string | null)[];
  /** Whether its line is empty, or has only white space without quotes. */
  readonly isBlank: boolean;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const quote = 0x22;
const comma = 0x2c;

const byteOrderMark = Buffer.from("\ufeff");

/**
 * Reads the records of a CSV file (RFC 4180) in UTF-8, with any line breaks and an optional byte order mark. Each byte is
 * read once, so that the cost of a file does not depend on its contents.
 *
 * @param maxCells the maximum number of cells of a record
 * @throws {HttpError} 400 that names the line that cannot be read
 */
export function* readRecords(bytes: Buffer, maxCells: number): Generator<CsvRecord, void, undefined> {
  const position = {
    at: bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark) ? byteOrderMark.length : 0,
    line: 1,
  };
  while (position.at < bytes.length) yield readRecord(bytes, position, maxCells);
}

/** The place that is read next. */
interface Position {
  at: number;
  line: number;
}

function readRecord(bytes: Buffer, position: Position, maxCells: number): CsvRecord {
  const { line } = position;
  const cells: (string | null)[] = [];
  const isQuoted = bytes[position.at] === quote;
  for (;;) {
    if (cells.length === maxCells) throw malformedCsv(line, `The record has more than ${maxCells} cells, the maximum.`);
    cells.push(bytes[position.at] === quote ? readQuoted(bytes, position, line) : readPlain(bytes, position, line));
    if (bytes[position.at] !== comma) break;
    position.at++;
  }
  position.at += isLineEnd(bytes, position.at) ? 1 : 2;
  position.line++;
  const [first] = cells;
  return { line, cells, isBlank: cells.length === 1 && !isQuoted && (first ?? "").trim() === "" };
}

/** Whether a line ends with this byte. Of CRLF, only the second one does. */
const isLineEnd = (bytes: Buffer, at: number): boolean =>
  bytes[at] === lineFeed || (bytes[at] === carriageReturn && bytes[at + 1] !== lineFeed);

/** Reads a cell that starts with a quote. */
function readQuoted(bytes: Buffer, position: Position, line: number): string {
  const start = position.at + 1;
  let end = start;
  let doubled = 0;
  for (; ; end++) {
    const byte = bytes[end];
    if (byte === quote) {
      if (bytes[end + 1] !== quote) break;
      doubled++;
      end++;
    } else if (byte === undefined) throw malformedCsv(line, "A quote is not closed.");
    else if (isLineEnd(bytes, end)) position.line++;
  }
  position.at = end + 1;
  if (!isCellEnd(bytes[position.at])) throw malformedCsv(line, afterQuote(bytes[position.at]));
  return doubled === 0 ? bytes.toString("utf8", start, end) : withSingleQuotes(bytes, start, end, doubled);
}

/** The text of a cell with doubled quotes. Replacing them in a text takes ten times as long. */
function withSingleQuotes(bytes: Buffer, start: number, end: number, doubled: number): string {
  const text = Buffer.allocUnsafe(end - start - doubled);
  for (let from = start, to = 0; from < end; from++) {
    const byte = bytes[from] as number;
    text[to++] = byte;
    if (byte === quote) from++;
  }
  return text.toString();
}

function afterQuote(byte = 0): string {
  const separator = String.fromCharCode(byte);
  return otherSeparators.has(separator)
    ? `A quoted cell is followed by ${separatorName(separator)}. ${commaHint}`
    : "Text follows the closing quote of a cell. Double each quote inside a quoted cell.";
}

const otherSeparators: ReadonlyMap<string, string> = new Map([
  [";", "a semicolon (;)"],
  ["\t", "a tab"],
  ["|", "a bar (|)"],
]);

/** A separator as a message contains it. */
export const separatorName = (separator: string): string =>
  separator === "," ? "a comma" : (otherSeparators.get(separator) ?? `"${separator}"`);

/** How to get a file that has commas. */
export const commaHint =
  'Separate the cells with commas: in Excel save as "CSV UTF-8 (Comma delimited)", in LibreOffice choose the field delimiter ",".';

/** Reads a cell without quotes. */
function readPlain(bytes: Buffer, position: Position, line: number): string | null {
  const start = position.at;
  let end = start;
  for (; !isCellEnd(bytes[end]); end++)
    if (bytes[end] === quote)
      throw malformedCsv(
        line,
        "A quote is inside a cell that does not start with one. Quote the cell, and double the quote.",
      );
  position.at = end;
  return end === start ? null : bytes.toString("utf8", start, end);
}

const isCellEnd = (byte: number | undefined): boolean =>
  byte === comma || byte === lineFeed || byte === carriageReturn || byte === undefined;

/** The error of a file that is not a table with a header. */
export function malformedCsv(line: number, what: string, column?: string): Error {
  const message = `Line ${line}: ${what}`;
  const path = linePath(line, column === undefined ? [] : [column]);
  return httpErrors.BadRequest(message, {
    errors: [{ in: "body", path, code: "MalformedCsv", message }],
    stack: false,
  });
}
