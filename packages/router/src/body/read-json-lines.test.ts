import { describe, expect, it } from "vitest";
import { readJsonLines } from "./read-json-lines.js";
import { roundedNumbers } from "./rounded-numbers.js";

const limits = { values: 100, lines: 10 };
const read = (text: string) => readJsonLines(Buffer.from(text), limits);

describe("readJsonLines", () => {
  it("returns the value of each line that is not empty, with its line", () => {
    expect(read('\ufeff{"a":1}\r\n\n  \n{"b":"ü"}')).toEqual({ values: [{ a: 1 }, { b: "ü" }], lines: [1, 4] });
    expect(read("")).toEqual({ values: [], lines: [] });
  });

  it("stops after the maximum number of lines", () => {
    expect(read("{}\n".repeat(20)).values).toHaveLength(10);
  });

  it("names the line of an error", () => {
    const places = (text: string) => {
      try {
        return read(text);
      } catch (error) {
        return (error as { errors: { path: string; code: string }[] }).errors.map(({ path, code }) => [path, code]);
      }
    };
    expect(places('{}\n\n{"a":}')).toEqual([["line 3", "MalformedJson"]]);
    expect(places("1")).toEqual([["line 1", "InvalidType"]]);
    expect(places('{}\n{"__proto__":1}')).toEqual([["line 2", "ForbiddenKey"]]);
    expect(places(`{}\n{"a":${"[".repeat(40)}${"]".repeat(40)}}`)).toEqual([["line 2", "TooDeep"]]);
    expect(() => read(`{"a":[${"1,".repeat(200)}1]}`)).toThrow("Line 1: The body has more than 100 values.");
  });

  it("limits the values of all lines together", () => {
    const line = `{"a":[${"1,".repeat(30)}1]}\n`;
    expect(read(line.repeat(3)).lines).toEqual([1, 2, 3]);
    expect(() => read(line.repeat(4))).toThrow("Line 4: The body has more than 100 values.");
  });

  it("reports the rounded numbers of all lines", () => {
    const { values } = read('{"a":1}\n{"b":9007199254740993}\n');
    expect(roundedNumbers(values)).toEqual([["1", "b"]]);
  });
});
