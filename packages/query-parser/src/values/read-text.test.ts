import { expect, it } from "vitest";
import { readText } from "./read-text.js";

it.each([
  ["x", "x", false],
  ["", "", false],
  ['"a"', "a", true],
  ['""', "", true],
  ['"a,b"', "a,b", true],
  ['"say \\"hi\\""', 'say "hi"', true],
  ['"C:\\\\dir"', "C:\\dir", true],
  ['"C:\\dir"', "C:\\dir", true],
  ['"ends with \\\\"', "ends with \\", true],
  ['"a', '"a', false],
  ['a"', 'a"', false],
  ['"', '"', false],
  ['"a\\"', '"a\\"', false],
  ['"a" and "b"', '"a" and "b"', false],
  ["C:\\dir", "C:\\dir", false],
])("C19 reads %j as %j", (raw, text, quoted) => {
  expect(readText(raw)).toEqual({ text, quoted });
});
