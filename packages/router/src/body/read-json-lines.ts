import { HttpError, isHttpError } from "@servicekit/core";
import { inSlices } from "@servicekit/core/internal";

import { checkJsonBytes, checkJsonValue, toJsonError } from "./check-json.js";
import { rememberLongNumbers } from "./rounded-numbers.js";

/** The objects of newline-delimited JSON, with the line of each. */
export interface JsonLines {
  readonly values: readonly unknown[];
  /** From 1. */
  readonly lines: readonly number[];
}

/** Limits of a body of JSON lines. */
export interface JsonLineLimits {
  /** Maximum number of values in all lines. */
  readonly values: number;
  /** Maximum number of rows, and of blank lines. */
  readonly lines: number;
  /** Creates the error of more of them. */
  readonly tooMany: (what: "rows" | "blank lines") => HttpError;
}

const newline = 0x0a;

/**
 * Parses newline-delimited JSON, each line an object; blank lines are skipped.
 *
 * @throws {HttpError} 400 that names the first line that is not an object in JSON, and what `tooMany` creates
 */
export async function readJsonLines(bytes: Buffer, limits: JsonLineLimits): Promise<JsonLines> {
  const { values: maxValues, lines: maxLines, tooMany } = limits;
  const values: unknown[] = [];
  const lines: number[] = [];
  const texts: string[] = [];
  let hasLongNumbers = false;
  let valueCount = 0;
  let line = 0;
  await inSlices(linesOf(bytes), (part) => {
    line++;
    const text = part.toString().replace(/^\ufeff/, "");
    if (text.trim() === "") {
      if (line - lines.length > maxLines) throw tooMany("blank lines");
      return;
    }
    if (lines.length === maxLines) throw tooMany("rows");
    const parsed = atLine(line, () => parseLine(part, text, maxValues, valueCount));
    valueCount += parsed.valueCount;
    hasLongNumbers ||= parsed.hasLongNumbers;
    values.push(parsed.value);
    lines.push(line);
    texts.push(text);
  });
  if (hasLongNumbers) rememberLongNumbers(values, Buffer.from(`[${texts.join()}]`));
  return { values, lines };
}

function* linesOf(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; ) {
    const next = bytes.indexOf(newline, start);
    const end = next === -1 ? bytes.length : next;
    yield bytes.subarray(start, end);
    start = end + 1;
  }
}

function parseLine(bytes: Buffer, text: string, maxValues: number, before: number) {
  const scan = checkJsonBytes(bytes, maxValues, before);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw toJsonError(error) ?? error;
  }
  checkJsonValue(value, bytes, { ...scan, hasLongNumbers: false }, true);
  return { value, hasLongNumbers: scan.hasLongNumbers, valueCount: scan.values };
}

/** The errors of a line, which name it. */
function atLine<T>(line: number, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!isHttpError(error)) throw error;
    const { status, code, cause } = error;
    const message = `Line ${line}: ${error.message}`;
    const errors = (error.errors ?? []).map((issue) => ({ ...issue, path: `line ${line}` }));
    throw new HttpError(status, code, message, { errors, cause, stack: false });
  }
}
