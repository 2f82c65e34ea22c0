import { expect, it } from "vitest";
import { formatJson, jsonIssue } from "../app/src/model/json-text.js";

it.each([
  ['{ "a": 1 }', undefined],
  ["null", undefined],
  ['{\n  "a": 1,\n  b: 2\n}', { line: 3, column: 3 }],
  ['{\n  "a": 1', { line: 2, column: 9 }],
])("reports the line and the column of the first error in %j", (text, place) => {
  const issue = jsonIssue(text);
  if (place === undefined) expect(issue).toBeUndefined();
  else expect(issue).toMatchObject(place);
});

it("reports the error without its position, which stands beside it", () => {
  expect(jsonIssue("{ b }")?.message).not.toMatch(/position|line|JSON$/);
});

it("indents a value without changing it", () => {
  expect(formatJson('{"b":[1],"a":null}')).toBe('{\n  "b": [\n    1\n  ],\n  "a": null\n}');
});
