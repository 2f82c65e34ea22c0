import { httpErrors } from "@servicekit/core";
import { describe, expect, it } from "vitest";
import { readJsonLines } from "./read-json-lines.js";
import { roundedNumbers } from "./rounded-numbers.js";

const limits = { values: 100, lines: 10, tooMany: (what: string) => httpErrors.PayloadTooLarge(`Too many ${what}.`) };
const read = (text: string) => readJsonLines(Buffer.from(text), limits);

describe("readJsonLines", () => {
  it("returns the value of each line that is not empty, with its line", async () => {
    expect(await read('\ufeff{"a":1}\r\n\n  \n{"b":"ü"}')).toEqual({ values: [{ a: 1 }, { b: "ü" }], lines: [1, 4] });
    expect(await read("")).toEqual({ values: [], lines: [] });
  });

  it("limits the number of rows, and of blank lines", async () => {
    expect((await read(`{}\n \n`.repeat(10))).values).toHaveLength(10);
    await expect(read("{}\n".repeat(11))).rejects.toThrow("Too many rows.");
    await expect(read(`${"{}\n".repeat(11)}{`)).rejects.toThrow("Too many rows.");
    await expect(read("\n \r\n".repeat(6))).rejects.toThrow("Too many blank lines.");
  });

  it("names the line of an error", async () => {
    const places = async (text: string) => {
      try {
        return await read(text);
      } catch (error) {
        return (error as { errors: { path: string; code: string }[] }).errors.map(({ path, code }) => [path, code]);
      }
    };
    expect(await places('{}\n\n{"a":}')).toEqual([["line 3", "MalformedJson"]]);
    expect(await places("1")).toEqual([["line 1", "InvalidType"]]);
    expect(await places('{}\n{"__proto__":1}')).toEqual([["line 2", "ForbiddenKey"]]);
    expect(await places(`{}\n{"a":${"[".repeat(40)}${"]".repeat(40)}}`)).toEqual([["line 2", "TooDeep"]]);
    await expect(read(`{"a":[${"1,".repeat(200)}1]}`)).rejects.toThrow("Line 1: The body has more than 100 values.");
  });

  it("limits the values of all lines together", async () => {
    const line = `{"a":[${"1,".repeat(30)}1]}\n`;
    expect((await read(line.repeat(3))).lines).toEqual([1, 2, 3]);
    await expect(read(line.repeat(4))).rejects.toThrow("Line 4: The body has more than 100 values.");
  });

  it("reports the rounded numbers of all lines", async () => {
    const { values } = await read('{"a":1}\n{"b":9007199254740993}\n');
    expect(roundedNumbers(values)).toEqual([["1", "b"]]);
  });
});
