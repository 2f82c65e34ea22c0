import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { expect, it } from "vitest";
import { csvRecord } from "./csv-record.js";

it.each([
  [["a", "", null, "a b", "é;'"], 'a,"",,a b,é;\'\r\n'],
  [["a,b", 'a"b""', "a\nb", "a\rb", "a\r\nb"], '"a,b","a""b""""","a\nb","a\rb","a\r\nb"\r\n'],
  [[" a", "a\t", " ", "\u00a0"], '" a","a\t"," ","\u00a0"\r\n'],
  [[null], "\r\n"],
  [[""], '""\r\n'],
])("C104 writes %j", (cells, text) => {
  expect(csvRecord(cells)).toBe(text);
});

it("C104 writes records that another parser reads", () => {
  const pieces = [",", '"', "\n", "\r", "\r\n", " ", "a", "é", "🎵", "'", ";"];
  const anyText = fc.array(fc.constantFrom(...pieces), { maxLength: 6 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(fc.array(anyText, { minLength: 1, maxLength: 5 }), (cells) => {
      expect(parse(csvRecord(cells), { record_delimiter: "\r\n" })).toEqual([cells]);
    }),
    { numRuns: 1_000 },
  );
});
