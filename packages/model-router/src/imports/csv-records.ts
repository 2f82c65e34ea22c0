import { setImmediate } from "node:timers/promises";
import { httpErrors } from "@servicekit/core";
import type { CsvError, Info } from "csv-parse";
import { linePath } from "./places.js";

/** A record of a CSV file. */
export interface CsvRecord {
  /** The line at which it starts, from 1. */
  readonly line: number;
  /** Its cells; `null` for one without text and without quotes. */
  readonly cells: readonly (string | null)[];
}

/** The number of bytes that are parsed without a pause. */
const sliceBytes = 64 * 1024;

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const quote = 0x22;
const comma = 0x2c;

/**
 * Parses a CSV file (RFC 4180) with any line breaks and an optional byte order mark; lines without a value are skipped.
 *
 * @param maxColumns the maximum number of cells of a record: each of them costs the parser some microseconds
 * @throws {HttpError} 400 that names the line that cannot be read
 */
export async function* readRecords(bytes: Buffer, maxColumns: number): AsyncGenerator<CsvRecord, void, undefined> {
  checkColumns(bytes, maxColumns);
  const { parse } = await import("csv-parse");
  // After an error, the records before it are no longer read.
  let parsed = 0;
  const parser = parse({
    bom: true,
    info: true,
    relax_column_count: true,
    record_delimiter: ["\r\n", "\n", "\r"],
    skip_empty_lines: true,
    on_record: (record: string[], { bytes: last }: { readonly bytes: number }) => {
      parsed = last;
      return record;
    },
    cast: (text, { quoting }) => (text === "" && !quoting ? null : text),
  });
  const lines = countLines(bytes);
  const write = async (): Promise<void> => {
    for (let at = 0; at < bytes.length && !parser.destroyed; at += sliceBytes) {
      if (at > 0) await setImmediate();
      parser.write(bytes.subarray(at, at + sliceBytes));
    }
    parser.end();
  };
  const writing = write().catch((error: unknown) => parser.destroy(error as Error));
  let end = 0;
  try {
    for await (const found of parser) {
      const { record, info } = found as { record: (string | null)[]; info: Info };
      const line = lines.startingAfter(end);
      end = info.bytes;
      if (!record.every((cell) => cell === null || /^\s+$/.test(cell))) yield { line, cells: record };
    }
    await writing;
  } catch (error) {
    throw toHttpError(error, lines.startingAfter(parsed));
  } finally {
    parser.destroy();
  }
}

function checkColumns(bytes: Buffer, max: number): void {
  let columns = 1;
  let line = 1;
  let isQuoted = false;
  for (const [at, byte] of bytes.entries()) {
    if (byte === quote) isQuoted = !isQuoted;
    else if (byte === comma && !isQuoted && ++columns > max)
      throw malformedCsv(line, `The record has more than ${max} cells, the maximum.`);
    else if (byte === lineFeed || (byte === carriageReturn && bytes[at + 1] !== lineFeed)) {
      line++;
      if (!isQuoted) columns = 1;
    }
  }
}

/** Counts the lines of a file, for positions in ascending order. */
function countLines(bytes: Buffer) {
  let at = 0;
  let line = 1;
  const isBreak = (byte: number | undefined): boolean => byte === lineFeed || byte === carriageReturn;
  const step = (): void => {
    if (isBreak(bytes[at]) && !(bytes[at] === carriageReturn && bytes[at + 1] === lineFeed)) line++;
    at++;
  };
  return {
    /** The line of the first text after a position. */
    startingAfter(position: number): number {
      while (at < position) step();
      while (isBreak(bytes[at])) step();
      return line;
    },
  };
}

const causes: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: "A quote is not closed.",
  INVALID_OPENING_QUOTE: "A quote is inside a cell that does not start with one. Quote the cell, and double the quote.",
  CSV_INVALID_CLOSING_QUOTE: "Text follows the closing quote of a cell. Double each quote inside a quoted cell.",
};

function toHttpError(error: unknown, line: number): unknown {
  const { code } = (error ?? {}) as Partial<CsvError>;
  const isOfParser = typeof code === "string" && (code.startsWith("CSV_") || Object.hasOwn(causes, code));
  return isOfParser ? malformedCsv(line, causes[code] ?? "The record cannot be read.", error) : error;
}

/** The error of a file that is not a table with a header. */
export function malformedCsv(line: number, what: string, cause?: unknown, column?: string): Error {
  const message = `Line ${line}: ${what}`;
  const path = linePath(line, column === undefined ? [] : [column]);
  const errors = [{ in: "body", path, code: "MalformedCsv", message }] as const;
  return httpErrors.BadRequest(message, { errors, cause, stack: false });
}
