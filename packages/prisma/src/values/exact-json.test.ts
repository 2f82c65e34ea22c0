import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  compactJson,
  containsExactNumber,
  ExactJson,
  ExactNumber,
  exactJsonText,
  parseJson,
  withExactNumbers,
} from "./exact-json.js";

describe("C4 numbers of JSON columns", () => {
  it.each([
    ['{"a": 1, "b": [true, null, "x"]}', '{"a":1,"b":[true,null,"x"]}'],
    ["12345678901234567890", "12345678901234567890"],
    ['[0.1234567890123456789, "0.1234567890123456789"]', '[0.1234567890123456789,"0.1234567890123456789"]'],
    ['{"n": 1e400, "m": -1E-400}', '{"n":1e400,"m":-1E-400}'],
    ["1.50", "1.5"],
    ["[9007199254740993, 9007199254740992]", "[9007199254740993,9007199254740992]"],
    ['"a \\" 12345678901234567890"', '"a \\" 12345678901234567890"'],
    ["0.0000000000000000", "0"],
  ])("C4 of %s keep their digits as %s", (text, expected) => {
    expect(compactJson(text)).toBe(expected);
  });

  it("C4 are exact only when a JavaScript number would change them", () => {
    const value = parseJson('{"big": 12345678901234567890, "small": 5, "text": "12345678901234567890"}') as Record<
      string,
      unknown
    >;
    expect(value.big).toBeInstanceOf(ExactNumber);
    expect([Number(value.big), value.small, value.text]).toEqual([
      Number("12345678901234567890"),
      5,
      "12345678901234567890",
    ]);
    expect([containsExactNumber(value), containsExactNumber(value.big)]).toEqual([true, true]);
    expect(exactJsonText(value)).toBe('{"big":12345678901234567890,"small":5,"text":"12345678901234567890"}');
  });

  it.each(["[1, 2]", '"12345678901234567890"', "[1234567890123456]", "1e3", "null"])("C4 of %s are plain", (text) => {
    expect(parseJson(text)).toEqual(JSON.parse(text));
    expect(containsExactNumber(parseJson(text))).toBe(false);
  });

  it("C4 are written as they were inside of rows", () => {
    const value = parseJson('{"n": [12345678901234567890], "t": "quote \\" and \\\\"}');
    const rows = JSON.stringify([
      { id: 1, more: new ExactJson(value) },
      { id: 2, more: null },
    ]);
    expect(withExactNumbers(rows)).toBe(
      '[{"id":1,"more":{"n":[12345678901234567890],"t":"quote \\" and \\\\"}},{"id":2,"more":null}]',
    );
    expect(withExactNumbers('[{"id":1}]')).toBe('[{"id":1}]');
  });

  it("C4 of any JSON survive reading and writing", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(JSON.parse(compactJson(text))).toEqual(JSON.parse(text));
        expect(JSON.parse(exactJsonText(parseJson(text)))).toEqual(JSON.parse(text));
      }),
    );
  });
});
