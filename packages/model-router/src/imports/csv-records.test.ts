import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readRecords } from "./csv-records.js";

const read = (text: string) => [...readRecords(Buffer.from(text), 1_000)];
const signs = [",", ";", '"', '""', "\n", "\r", "\r\n", " ", "a", "ü", "\ufeff", "\t"];
const anyFile = fc.array(fc.constantFrom(...signs), { maxLength: 12 }).map((parts) => parts.join(""));

/** The records of another parser, or the word "rejected". */
function otherRecords(text: string): unknown {
  try {
    return parse(text, {
      bom: true,
      relax_column_count: true,
      record_delimiter: ["\r\n", "\n", "\r"],
      cast: (cell, { quoting }) => (cell === "" && !quoting ? null : cell),
    });
  } catch {
    return "rejected";
  }
}

function records(text: string): unknown {
  try {
    return read(text).map(({ cells }) => cells);
  } catch {
    return "rejected";
  }
}

describe("C104 the records of a CSV file", () => {
  it("are those of csv-parse for random files", () => {
    fc.assert(
      fc.property(anyFile, (text) => {
        expect(records(text)).toEqual(otherRecords(text));
      }),
      { numRuns: 5_000 },
    );
  });

  it("have the lines at which they start, for line breaks of each kind", () => {
    const file = 'a\r\n"b\r\nc\rd\n"\r\r\n\n"",\re';
    expect(read(file).map(({ line, isBlank }) => [line, isBlank])).toEqual([
      [1, false],
      [2, false],
      [6, true],
      [7, true],
      [8, false],
      [9, false],
    ]);
  });

  it.each([
    ['a\n"b', 2, "A quote is not closed."],
    ['a\n\n"b\n', 3, "A quote is not closed."],
    ['a\nb"c', 2, "A quote is inside a cell"],
    ['"a"b', 1, "Text follows the closing quote"],
    ['"a" ,b', 1, "Text follows the closing quote"],
    ["a,b\n,,\n", 2, "The record has more than 2 cells, the maximum."],
  ])("%j is rejected at line %i", (file, line, message) => {
    expect(() => [...readRecords(Buffer.from(file), 2)]).toThrow(`Line ${line}: ${message}`);
  });
});
