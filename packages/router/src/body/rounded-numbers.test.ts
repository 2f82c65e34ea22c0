import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkJsonBytes, checkJsonValue } from "./check-json.js";
import { roundedNumbers } from "./rounded-numbers.js";

function placesIn(text: string) {
  const bytes = Buffer.from(text);
  const value: unknown = JSON.parse(text);
  checkJsonValue(value, bytes, checkJsonBytes(bytes, 100_000), true);
  return roundedNumbers(value);
}

describe("C4 finds the rounded numbers of a JSON body", () => {
  it.each<[string, string[][]]>([
    ['{"a":9007199254740993}', [["a"]]],
    ['{"a":[1,{"b":2},{"c":1.0000000000000000001}],"d":12345678901234567890}', [["a", "2", "c"], ["d"]]],
    ["[[0.1234567890123456789]]", [["0", "0"]]],
    ['{"a":1e-400,"b":[-1E-324]}', [["a"], ["b", "0"]]],
    ['{"a":1.2345678e-320,"b":0.0001e-322}', [["a"], ["b"]]],
    ['{"a/b":{"\\"x\\"":[true,null,-1.00000000000000000009e3]}}', [["a/b", '"x"', "2"]]],
    ['{"a":"1.0000000000000000001","b":"\\\\","c":9007199254740993}', [["c"]]],
  ])("%s", (text, places) => {
    expect(placesIn(text)).toEqual(places);
  });

  it.each([
    '{"a":9007199254740992}',
    '{"a":0.10000000000000001}',
    '{"a":103582069877112816}',
    '{"a":1.50000000000000000000000}',
    '{"a":10000000000000000000000000}',
    '{"a":0.000000000000000000000012}',
    '{"a":0.30000000000000004}',
    '{"a":1.7976931348623157e308}',
    '{"a":"123456789012345678901234567890"}',
    '{"a":[],"b":{}}',
    '{"a":5e-324,"b":2.2250738585072014e-308,"c":1e-320}',
    '{"a":0e-400,"b":-0.00e-999,"c":1e-100,"d":1.50e-300}',
  ])("accepts %s unchanged", (text) => {
    expect(placesIn(text)).toEqual([]);
  });

  it("accepts every double that JavaScript writes", () => {
    const anyDouble = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(fc.array(anyDouble, { maxLength: 5 }), (numbers) => {
        expect(placesIn(JSON.stringify({ numbers, more: numbers.map((n) => ({ n })) }))).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });

  it("reports every integer over 2^53 that a double cannot represent", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 2n ** 53n, max: 2n ** 70n }), (n) => {
        fc.pre(String(n).replace(/0+$/, "").length > 17);
        const isKept = BigInt(Number(n)) === n || String(Number(n)) === String(n);
        expect(placesIn(`{"a":{"n":${n}}}`)).toEqual(isKept ? [] : [["a", "n"]]);
      }),
      { numRuns: 2000 },
    );
  });
});
