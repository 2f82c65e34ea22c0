import { expect, it } from "vitest";
import { formatJson, jsonIssue } from "../app/src/model/json-text.js";

it.each(['{ "a": [1, -2.5e3, "\\u00e9", true, null, {}] }', " null ", "[]", '"a"', "0"])("accepts %j", (text) => {
  expect(jsonIssue(text)).toBeUndefined();
});

it.each([
  ['{\n  "a": 1,\n  b: 2\n}', 3, 3, "Expected a property name in double quotes."],
  ['{\n  "colour": rust\n}', 2, 13, "Expected a value."],
  ['{\n  "a": 1', 2, 9, 'Expected "," or "}".'],
  ['{ "a" 1 }', 1, 7, 'Expected ":".'],
  ["[1 2]", 1, 4, 'Expected "," or "]".'],
  ["[1,]", 1, 4, "Expected a value."],
  ['{ "a": "b }', 1, 8, "Expected a text that ends with a double quote."],
  ["{} {}", 1, 4, "Expected the end."],
  ["01", 1, 2, "Expected the end."],
  ["", 1, 1, "Expected a value."],
])("reports the first error in %j", (text, line, column, message) => {
  expect(jsonIssue(text)).toEqual({ line, column, message });
});

it("indents a value without changing it", () => {
  expect(formatJson('{"b":[1],"a":null}')).toBe('{\n  "b": [\n    1\n  ],\n  "a": null\n}');
});
