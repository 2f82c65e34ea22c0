import { isPlainObject } from "@servicekit/core/internal";
import { type ExpectedValue, expectedField, expectedItem, expectsScalar } from "./expected-value.js";
import { readExpected, type ScalarSwitches } from "./read-expected.js";

/** Nothing is read by its looks: what may be text stays text. */
const noSwitches: ScalarSwitches = { parseNumber: false, parseBoolean: false, parseNull: false };

/**
 * Reads the texts of untyped values, such as path parameters or form fields, as the expected types (contract C63).
 * Values without an expected type stay text, as do those that cannot be read.
 */
export function readValues(value: unknown, expected: ExpectedValue | undefined): unknown {
  if (expected === undefined) return value;
  if (typeof value === "string") {
    const isList = expected.list !== undefined && !expectsScalar(expected);
    if (isList) return [readValues(value, expectedItem(expected, 0))];
    return readExpected({ text: value, quoted: false }, expected, noSwitches);
  }
  if (Array.isArray(value)) return value.map((item, index) => readValues(item, expectedItem(expected, index)));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, readValues(inner, expectedField(expected, key))]),
  );
}
