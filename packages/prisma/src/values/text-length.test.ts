import { expect, it } from "vitest";
import { isLongerThan } from "./text-length.js";
import { withoutEnd } from "./without-end.js";

it.each<[string, number, boolean]>([
  ["", 0, false],
  ["abc", 3, false],
  ["abcd", 3, true],
  ["😀😀😀", 3, false],
  ["😀😀😀😀", 3, true],
  ["😀abcd", 4, true],
  ["a".repeat(1_000_000), 120, true],
])("counts characters as PostgreSQL does: %# of %d", (text, characters, isLonger) => {
  expect(isLongerThan(text, characters)).toBe(isLonger);
});

it.each([
  ["a  ", " ", "a"],
  [" a b", " ", " a b"],
  ["   ", " ", ""],
  ["", " ", ""],
  ["1.500", "0", "1.5"],
])("removes the characters at the end of %j: %j", (text, character, shorter) => {
  expect(withoutEnd(text, character)).toBe(shorter);
});
