import { describe, expect, it } from "vitest";
import type { ExpectedScalar } from "./expected-value.js";
import { readExpected } from "./read-expected.js";

const none = { parseNumber: false, parseBoolean: false, parseNull: false };
const all = { parseNumber: true, parseBoolean: true, parseNull: true };
const read = (text: string, scalars: readonly ExpectedScalar[], switches = none, quoted = false) =>
  readExpected({ text, quoted }, { scalars: new Set(scalars) }, switches);

describe("C63 readExpected", () => {
  it.each([
    ["2024-02-29", "2024-02-29T00:00:00.000Z"],
    ["2024-02-29T10:30", "2024-02-29T10:30:00.000Z"],
    ["2024-02-29 10:30:15.123456789", "2024-02-29T10:30:15.123Z"],
    ["2024-02-29t10:30z", "2024-02-29T10:30:00.000Z"],
    ["2024-02-29T10:30+02:00", "2024-02-29T08:30:00.000Z"],
    ["0001-01-01", "0001-01-01T00:00:00.000Z"],
  ])("C63 reads the date %s", (text, iso) => {
    expect(read(text, ["date"])).toEqual(new Date(iso));
  });

  it.each(["2024-02-30", "2023-02-29", "2024-13-01", "2024-02-29T25:00", "2024-02-29T10:60", "yesterday", "2024", ""])(
    "C63 leaves %j as text, which is no date",
    (text) => {
      expect(read(text, ["date"])).toBe(text);
    },
  );

  it.each([
    ["12", 12],
    ["-1.50", -1.5],
    ["1e3", 1000],
    ["9007199254740991", 9_007_199_254_740_991],
    ["9007199254740993.0", 9_007_199_254_740_992],
    ["0", 0],
    ["0.0", 0],
    ["0e5", 0],
  ])("C63 reads the number %s", (text, number) => {
    expect(read(text, ["number"])).toBe(number);
  });

  it.each(["9007199254740993", "1e400", "1e-400", "007", "1.", ".5", "abc", ""])(
    "C63 leaves %j as text, which no number can represent",
    (text) => {
      expect(read(text, ["number"])).toBe(text);
    },
  );

  it.each([
    ["12345678901234567890", 12_345_678_901_234_567_890n],
    ["-5", -5n],
    ["1.5", "1.5"],
    ["007", "007"],
  ])("C63 reads the bigint %s", (text, value) => {
    expect(read(text, ["bigint"])).toBe(value);
  });

  it("C63 reads booleans and null, unless they are quoted", () => {
    expect([read("true", ["boolean"]), read("false", ["boolean"]), read("null", ["null"])]).toEqual([
      true,
      false,
      null,
    ]);
    expect([read("TRUE", ["boolean"]), read("yes", ["boolean"]), read("true", ["number"])]).toEqual([
      "TRUE",
      "yes",
      "true",
    ]);
    expect([read("true", ["boolean"], all, true), read("5", ["number"], all, true)]).toEqual(["true", "5"]);
  });

  it("C63 reads a value that may also be text by its looks only as far as the settings allow", () => {
    const either: readonly ExpectedScalar[] = ["text", "number", "boolean", "null", "bigint", "date"];
    const texts = ["5", "true", "null", "2024-01-01"];
    expect(texts.map((text) => read(text, either))).toEqual(texts);
    expect(texts.map((text) => read(text, either, all))).toEqual([5, true, null, "2024-01-01"]);
    expect(read("1.50", ["text", "number"], all)).toBe(1.5);
    expect(read("9007199254740993", ["text", "number"], all)).toBe("9007199254740993");
  });

  it("C63 returns the value of a literal's text", () => {
    const expected = {
      literals: new Map<string, string | number>([
        ["1", 1],
        ["one", "one"],
      ]),
    };
    const of = (text: string, quoted = false) => readExpected({ text, quoted }, expected, all);
    expect([of("1"), of("1", true), of("one", true), of("2")]).toEqual([1, "1", "one", "2"]);
  });
});
